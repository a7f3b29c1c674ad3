import { combine, httpResponse, rewrite } from "warmline-testbed";
import { type Fault, type FaultGroup, first, get, incr } from "./fault.js";

const json = { "Content-Type": "application/json" };
const RESPONSES = {
  html: httpResponse(200, "<html><body>Sign in to this network</body></html>", {
    "Content-Type": "text/html",
  }),
  half: httpResponse(200, '{"result":"dmFs', json),
  empty: httpResponse(200, "", json),
};

const bad = (call: typeof get): Fault => ({
  title: `${call("").command}, 200 with HTML, truncated JSON, an empty body`,
  onlyHttp: true,
  stage: ({ key }) => ({
    turns: Object.keys(RESPONSES).map((name) => [call(key(name))]),
    behaviour: combine(
      ...Object.entries(RESPONSES).map(([name, response]) => first(1, key(name), rewrite(response))),
    ),
  }),
});

/** Faults in which the request is applied and the response is invalid. */
export const badResponses: FaultGroup = {
  title: "applied, invalid response",
  faults: [bad(get), bad(incr)],
};

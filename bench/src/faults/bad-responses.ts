import { combine, httpResponse, rewrite } from "warmline-testbed";
import { always, type Fault, type FaultGroup, first, get, incr } from "./fault.js";

const json = { "Content-Type": "application/json" };
const ANSWERS = {
  html: httpResponse(200, "<html><body>Sign in to this network</body></html>", {
    "Content-Type": "text/html",
  }),
  half: httpResponse(200, '{"result":"dmFs', json),
  empty: httpResponse(200, "", json),
};

const bad = (call: typeof get): Fault => ({
  title: `${call("").command}, 200 with HTML, half a JSON, nothing`,
  stage: ({ key }) => ({
    turns: Object.keys(ANSWERS).map((name) => [call(key(name))]),
    script: always(
      combine(...Object.entries(ANSWERS).map(([name, answer]) => first(1, key(name), rewrite(answer)))),
    ),
  }),
});

/** The request was applied, and what comes back is no answer. */
export const badResponses: FaultGroup = {
  title: "applied, and something else answers",
  faults: [bad(get), bad(incr)],
};

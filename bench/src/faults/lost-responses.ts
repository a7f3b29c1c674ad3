import { combine, cutReply, loseReply, proxyError, rewrite } from "warmline-testbed";
import { type Fault, type FaultGroup, first, get, incr } from "./fault.js";

const lost = (times: number): Fault => ({
  title: `incr, response lost ${times === 1 ? "once" : `${times} times`}`,
  stage: ({ key }) => ({
    turns: [[incr(key("n"))]],
    behaviour: first(times, key("n"), loseReply()),
  }),
});

const reads: Fault = {
  title: "get and hgetall, response lost twice",
  stage: ({ key }) => ({
    turns: [[get(key("text"))], [{ command: "hgetall", key: key("hash") }]],
    behaviour: combine(first(2, key("text"), loseReply()), first(2, key("hash"), loseReply())),
  }),
};

const overwritten: Fault = {
  title: "set, response lost; then another client sets",
  stage: ({ key, command }) => ({
    turns: [[{ command: "set", key: key("k"), value: "mine", overwrittenWith: "theirs" }]],
    behaviour: first(1, key("k"), {
      response: (connection, part) => {
        if (part.last) void command("SET", key("k"), "theirs").then(() => connection.close());
      },
    }),
  }),
};

const batch: Fault = {
  title: "incr, get, set, get at once, response lost",
  stage: ({ key }) => ({
    turns: [
      [incr(key("n")), get(key("one")), { command: "set", key: key("k"), value: "mine" }, get(key("two"))],
    ],
    behaviour: first(1, key("n"), loseReply()),
  }),
};

const STATUSES = [502, 503, 504] as const;
const proxy: Fault = {
  title: "incr, a proxy responds 502, 503, 504",
  onlyHttp: true,
  stage: ({ key }) => ({
    turns: STATUSES.map((status) => [incr(key(`${status}`))]),
    behaviour: combine(...STATUSES.map((status) => first(1, key(`${status}`), rewrite(proxyError(status))))),
  }),
};

const cut: Fault = {
  title: "incr, response cut off in the middle",
  stage: ({ key, protocol }) => ({
    turns: [[incr(key("n"))]],
    behaviour: first(1, key("n"), cutReply({ bytes: protocol === "tcp" ? 2 : 60 })),
  }),
};

/** Faults in which the request is applied and its response is lost. */
export const lostResponses: FaultGroup = {
  title: "applied, response lost",
  faults: [lost(1), lost(2), lost(5), reads, overwritten, batch, proxy, cut],
};

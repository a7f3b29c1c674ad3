import { describe, expect, test } from "vitest";
import type { Call, CallResult } from "../../../bench/src/faults/calls.js";
import { judge, stored } from "../../../bench/src/faults/judge.js";

const incr: Call = { command: "incr", key: "n" };
const get: Call = { command: "get", key: "k" };
const set: Call = { command: "set", key: "k", value: "mine" };
const contested: Call = { ...set, overwrittenWith: "theirs" };
const gave = (value: unknown): CallResult => ({ value, ms: 5 });
const threw = (outcome?: string): CallResult => ({
  error: { name: "SomeError", ...(outcome && { outcome }) },
  ms: 5,
});

describe("the judge of a call", () => {
  test.each([
    ["incremented once", incr, gave(1), "1", { ending: "resolved", doubled: 0, wrong: false }],
    ["incremented six times", incr, gave(6), "6", { ending: "resolved", doubled: 5, wrong: false }],
    ["incremented twice and failed", incr, threw(), "2", { ending: "failed", doubled: 1, unknown: false }],
    ["not incremented, and yet a number", incr, gave(1), null, { doubled: 0, wrong: true }],
    ["another command's response to incr", incr, gave(null), "1", { doubled: 0, wrong: true }],
    [
      "may have been incremented",
      incr,
      threw("unknown"),
      "1",
      { ending: "failed", unknown: true, doubled: 0 },
    ],
    ["was not sent", incr, threw("unsent"), null, { ending: "failed", unknown: false, doubled: 0 }],
    ["a read of unknown outcome", get, threw("unknown"), null, { unknown: false }],
    ["its own value", get, gave(stored("k")), stored("k"), { ending: "resolved", wrong: false }],
    ["another key's value", get, gave("other"), stored("k"), { ending: "resolved", wrong: true }],
    ["set", set, gave("OK"), "mine", { wrong: false, doubled: 0 }],
    ["OK, and nothing set", set, gave("OK"), null, { wrong: true }],
    [
      "overwritten by another, as it should be",
      contested,
      gave("OK"),
      "theirs",
      { wrong: false, doubled: 0 },
    ],
    ["another's value undone", contested, gave("OK"), "mine", { wrong: false, doubled: 1 }],
    ["the function timed out", incr, undefined, "2", { ending: "hung", doubled: 1, ms: 6000 }],
  ] as const)("the judge recognizes: %s", (_, call, settled, found, expected) => {
    expect(judge(call, settled, found, 6_000)).toMatchObject(expected);
  });
});

import { describe, expect, test } from "vitest";
import type { Call, CallResult } from "../../../bench/src/faults/calls.js";
import { judge, stored } from "../../../bench/src/faults/judge.js";

const incr: Call = { command: "incr", key: "n" };
const get: Call = { command: "get", key: "k" };
const set: Call = { command: "set", key: "k", value: "mine" };
const contested: Call = { ...set, overwrittenWith: "theirs" };
const gave = (value: unknown): CallResult => ({ value, failed: false, ms: 5 });
const threw: CallResult = { failed: true, ms: 5 };

describe("the judge of a call", () => {
  test.each([
    ["incremented once", incr, gave(1), "1", { resolved: 1, doubled: 0, wrong: 0 }],
    ["incremented six times", incr, gave(6), "6", { resolved: 1, doubled: 5, wrong: 0 }],
    ["incremented twice and failed", incr, threw, "2", { failed: 1, doubled: 1 }],
    ["not incremented, and yet a number", incr, gave(1), null, { doubled: 0, wrong: 1 }],
    ["another command's response to incr", incr, gave(null), "1", { doubled: 0, wrong: 1 }],
    ["its own value", get, gave(stored("k")), stored("k"), { resolved: 1, wrong: 0 }],
    ["another key's value", get, gave("other"), stored("k"), { resolved: 1, wrong: 1 }],
    ["set", set, gave("OK"), "mine", { wrong: 0, doubled: 0 }],
    ["OK, and nothing set", set, gave("OK"), null, { wrong: 1 }],
    ["overwritten by a later write, as expected", contested, gave("OK"), "theirs", { wrong: 0, doubled: 0 }],
    ["a later write overwritten", contested, gave("OK"), "mine", { wrong: 0, doubled: 1 }],
    ["the function timed out", incr, undefined, "2", { hung: 1, doubled: 1, ms: 6000 }],
  ] as const)("the judge recognizes: %s", (_, call, settled, found, expected) => {
    const ending = judge(call, settled, found, 6_000);
    expect(ending).toMatchObject(expected);
    expect(ending.resolved + ending.failed + ending.hung).toBe(1);
  });
});

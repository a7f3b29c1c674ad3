import { expect, test } from "vitest";
import { isSameReply } from "../../support/differential/same-reply.js";

const zscore = ["ZSCORE", "z", "a"];
const nested = (score: string) => [["$a", score]];

test.each([
  ["$0.10000000000000001", "$0.1"],
  ["$-9.9999999999999995e-08", "$-1e-7"],
  ["$1.2345678901234568e+17", "$123456789012345680"],
  ["$1e+17", "$100000000000000000"],
  ["$inf", "$inf"],
])("the score %s of Redis 7.0 is %s of the embedded engine", (redis, embedded) => {
  expect(isSameReply(zscore, redis, embedded)).toBe(true);
  expect(isSameReply(["EXEC"], nested(redis), nested(embedded))).toBe(true);
});

test.each([
  ["another number", "$0.10000000000000001", "$0.2"],
  ["fewer digits than 17", "$0.1000000000000000", "$0.1"],
  ["an exponent that Redis does not write", "$1e+17", "$1e17"],
  ["the layout of JavaScript", "$1e+20", "$100000000000000000000"],
  ["a whole number with rounded digits", "$1.1529215046068470e+18", "$1152921504606847000"],
  ["17 digits of the embedded engine", "$0.1", "$0.10000000000000001"],
  ["an integer for a string", "$16", ":16"],
])("isSameReply refuses %s", (_what, redis, embedded) => {
  expect(isSameReply(zscore, redis, embedded)).toBe(false);
});

test("isSameReply refuses two texts for a number outside sorted sets", () => {
  expect(isSameReply(["GET", "s"], "$0.10000000000000001", "$0.1")).toBe(false);
  expect(isSameReply(["LRANGE", "l", "0", "0"], "$0.10000000000000001", "$0.1")).toBe(false);
});

test("isSameReply ignores the sign of a NaN in the replies of scripts", () => {
  expect(isSameReply(["EVAL", "return tostring(0/0)", "0"], ["$-nan x"], ["$nan x"])).toBe(true);
  expect(isSameReply(["EVAL", "return tostring(0/0)", "0"], "$nan", "$-nan")).toBe(false);
  expect(isSameReply(["GET", "s"], "$-nan", "$nan")).toBe(false);
});

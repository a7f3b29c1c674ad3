import { expect, test } from "vitest";
// @ts-expect-error: a script without types
import { compared } from "../../../scripts/second-publication.mjs";

const columns = [{ title: "client" }, { title: "p50 ms", number: true }, { title: "x warm", number: true }];
/** Two rows of the same name, which differ in their number of clients. */
const tableOf = (ms: string, times: string) => ({
  columns,
  rows: [{ cells: ["warmline", ms, times] }, { cells: ["warmline", "7", "9x (9x to 9x)"] }],
});
const checkOf = (verdict: string, actual: string) => ({ expectation: "it is fast", verdict, actual });
const resultOf = (ms: string, times: string, verdict: string) => ({
  ...{ scenario: "idle", summary: "1 yes, 0 no, 0 undecided." },
  table: tableOf(ms, times),
  checks: [checkOf(verdict, `${times}; beside`)],
  parts: [{ name: "first-write", table: tableOf(ms, times) }],
  data: [],
});
const first = resultOf("1.20 (1.10 to 1.30)", "1.5x (1.4x to 1.6x)", "yes");

test("a second publication keeps its figures where the intervals overlap", () => {
  const second = resultOf("1.28 (1.25 to 1.40)", "1.6x (1.6x to 1.8x)", "undecided");
  const { result, apart, counts } = compared(first, second);
  expect(result).toEqual({ ...second, summary: "0 yes, 0 no, 1 undecided." });
  expect([apart, counts]).toEqual([
    { ratios: [], figures: [], verdicts: [] },
    { ratios: 5, figures: 2 },
  ]);
});

test("figures of two publications that are apart become the range of both, and opposite verdicts undecided", () => {
  const second = resultOf("1,050 (1,000 to 1,100)", "0.9x to 1.3x", "no");
  const { result, apart } = compared(first, second);
  const table = tableOf("1.10 to 1,100", "0.9x to 1.6x");
  expect(result).toMatchObject({
    table,
    parts: [{ table }],
    checks: [{ verdict: "undecided", actual: "0.9x to 1.6x; beside" }],
    summary: "0 yes, 0 no, 1 undecided.",
  });
  const names = ["warmline: x warm", "it is fast", "warmline: x warm"];
  expect(apart).toEqual({
    ratios: expect.arrayContaining(names),
    figures: ["warmline: p50 ms", "warmline: p50 ms"],
    verdicts: ["it is fast"],
  });
});

test("a check that decides an article's claim is compared with the earlier one of that claim, however it is worded", () => {
  const claim = (expectation: string, verdict: string, actual: string) => ({
    ...resultOf("1.20 (1.10 to 1.30)", "1.5x (1.4x to 1.6x)", "yes"),
    checks: [{ expectation, verdict, actual, article: { id: "keepalive.reuse" } }],
  });
  const before = claim("a kept connection is faster", "yes", "3.0x (2.9x to 3.1x)");
  const after = claim("a kept connection is faster, at the median", "no", "0.8x (0.7x to 0.9x)");
  expect(compared(before, after).result.checks).toMatchObject([
    { verdict: "undecided", actual: "0.7x to 3.1x" },
  ]);
});

import { expect, test } from "vitest";
// @ts-expect-error: a script without types
import { compared } from "../../../scripts/second-publication.mjs";

const columns = [{ title: "client" }, { title: "p50 ms", number: true }, { title: "x warm", number: true }];
/** Two rows of the same name, as in a table with a row for each number of clients. */
const tableOf = (ms: string, times: string) => ({
  columns,
  rows: [{ cells: ["warmline", ms, times] }, { cells: ["warmline", "7", "9x (9x to 9x)"] }],
});
const checkOf = (verdict: string, actual: string) => ({ expectation: "it is fast", verdict, actual });
const resultOf = (ms: string, times: string, verdict: string) => ({
  ...{ scenario: "idle", commit: "c1", startedAt: "2026-11-28T14:00:00.000Z" },
  summary: "1 yes, 0 no, 0 undecided.",
  table: tableOf(ms, times),
  checks: [checkOf(verdict, `${times}; beside`)],
  parts: [{ name: "first-write", table: tableOf(ms, times) }],
  data: [],
});
const first = resultOf("1.20 (1.10 to 1.30)", "1.5x (1.4x to 1.6x)", "yes");

test("a second publication keeps its figures where the intervals overlap", () => {
  const second = { ...resultOf("1.28 (1.25 to 1.40)", "1.6x (1.6x to 1.8x)", "yes"), commit: "c2" };
  const { result, apart, counts } = compared(first, second);
  const earlier = {
    ...{ commit: "c1", startedAt: "2026-11-28T14:00:00.000Z" },
    ratios: { compared: 5, apart: 0 },
    figures: { compared: 2, apart: 0 },
  };
  expect(result).toEqual({ ...second, earlier });
  expect([apart, counts]).toEqual([
    { ratios: [], figures: [], verdicts: [] },
    { ratios: 5, figures: 2 },
  ]);
});

test("figures that are apart in two publications become the range of both, and opposite verdicts become undecided", () => {
  const second = resultOf("1,050 (1,000 to 1,100)", "0.9x to 1.3x", "no");
  const { result, apart } = compared(first, second);
  const table = tableOf("1.10 to 1,100†", "0.9x to 1.6x†");
  expect(result).toMatchObject({
    table,
    parts: [{ table }],
    checks: [{ verdict: "undecided", actual: "0.9x to 1.6x†; beside" }],
    summary: "0 yes, 0 no, 1 undecided.",
  });
  const names = ["warmline: x warm", "it is fast", "warmline: x warm"];
  expect(apart).toEqual({
    ratios: expect.arrayContaining(names),
    figures: ["warmline: p50 ms", "warmline: p50 ms"],
    verdicts: ["it is fast"],
  });
});

test.each([
  ["yes", "undecided"],
  ["undecided", "yes"],
  ["undecided", "no"],
  ["no", "yes"],
])("a verdict that only one publication has is undecided: %s, then %s", (before, after) => {
  const ratio = "1.5x (1.4x to 1.6x)";
  const [one, two] = [resultOf("1", ratio, before), resultOf("1", ratio, after)];
  const { result, apart } = compared(one, two);
  expect(result.checks).toEqual([
    {
      ...checkOf("undecided", `${ratio}; beside`),
      earlier: { verdict: before, actual: `${ratio}; beside` },
    },
  ]);
  expect(result.summary).toBe("0 yes, 0 no, 1 undecided.");
  expect(apart.verdicts).toEqual(["it is fast"]);
});

test.each([
  ["same direction", "inside the interval", "same direction"],
  ["inside the interval", "same order of magnitude", "same order of magnitude"],
])(
  "a claim's agreement with its article is the weaker one of two publications: %s, %s",
  (before, after, both) => {
    const claim = (agreement: string) => ({
      ...resultOf("1", "1", "yes"),
      checks: [{ ...checkOf("yes", "1.5x (1.4x to 1.6x)"), agreement }],
    });
    const { result } = compared(claim(before), claim(after));
    expect(result.checks).toMatchObject([{ verdict: "yes", agreement: both }]);
  },
);

test("figures rounded to different numbers of digits overlap if the coarser rounding allows it", () => {
  const one = resultOf("2.01 (2.01 to 2.01)", "1.5x (1.4x to 1.6x)", "yes");
  const [near, far] = ["2.0096 (2.0088 to 2.0099)", "2.0041 (2.0040 to 2.0045)"];
  expect(compared(one, resultOf(near, "1x", "yes")).apart.figures).toEqual([]);
  expect(compared(one, resultOf(far, "1x", "yes")).result.table.rows[0].cells[1]).toBe("2.0040 to 2.01†");
});

test("the numbers of the first publication are kept for a scenario whose runs are compared one by one", () => {
  const [one, two] = [first, first].map((result) => ({ ...result, scenario: "memory", data: [1] }));
  expect(compared(one, two).result.earlier.data).toEqual([1]);
});

test("a check that decides an article's claim is compared with the earlier one of that claim, however it is worded", () => {
  const claim = (expectation: string, verdict: string, actual: string) => ({
    ...resultOf("1.20 (1.10 to 1.30)", "1.5x (1.4x to 1.6x)", "yes"),
    checks: [{ expectation, verdict, actual, article: { id: "keepalive.reuse" } }],
  });
  const before = claim("a kept connection is faster", "yes", "3.0x (2.9x to 3.1x)");
  const after = claim("a kept connection is faster, at the median", "no", "0.8x (0.7x to 0.9x)");
  expect(compared(before, after).result.checks).toMatchObject([
    { verdict: "undecided", actual: "0.7x to 3.1x†" },
  ]);
});

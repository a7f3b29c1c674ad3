import { describe, expect, test } from "vitest";
import {
  atLeast,
  atMost,
  checkText,
  decide,
  decided,
  exactly,
  summaryOf,
} from "../../../bench/src/results/checks.js";
import { warningOf } from "../../../bench/src/results/load-guard.js";
import {
  type Estimate,
  estimateOf,
  mean,
  percentile,
  ratio,
  Series,
  stddev,
} from "../../../bench/src/statistics/series.js";
import { randomFrom } from "../../../bench/src/util/random.js";

/** Draws from the normal distribution (Box-Muller transform). */
const normalFrom = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

describe("an interval", () => {
  test("five repetitions suffice: intervals of a skewed distribution cover its median in 92% to 97% of experiments", () => {
    const random = randomFrom(5);
    let covered = 0;
    for (let experiment = 0; experiment < 2_000; experiment++) {
      const { low, high } = estimateOf(Array.from({ length: 5 }, () => Math.exp(0.3 * normalFrom(random))));
      covered += Number(low <= 1 && 1 <= high);
    }
    expect(covered / 2_000).toBeGreaterThan(0.92);
    expect(covered / 2_000).toBeLessThan(0.97);
  });

  test.each([
    [5, 0],
    [6, 0],
    [8, 0],
    [9, 1],
    [10, 1],
    [20, 5],
  ])("the interval of a median of %i repetitions leaves %i out on each side", (n, out) => {
    const rounds = Array.from({ length: n }, (_, at) => [at]);
    expect(new Series(rounds).estimate()).toMatchObject({ low: out, high: n - 1 - out });
  });

  test("an interval is over repetitions: many values from few repetitions stay uncertain", () => {
    const [slow, fast] = [Array(1_000).fill(10), Array(1_000).fill(1)];
    expect(new Series([slow, fast]).estimate(mean)).toMatchObject({ value: 5.5, low: 1, high: 10 });
    expect(new Series([slow, fast, slow, fast, slow]).estimate(mean)).toEqual({
      value: 10,
      low: 1,
      high: 10,
      n: 5,
    });
  });

  test("repetitions without values are left out, and one repetition has no interval", () => {
    expect(new Series([[1], [], [3], [2], [], [5]]).estimate()).toMatchObject({ low: 1, high: 5 });
    expect(estimateOf([4])).toEqual({ value: 4, low: 4, high: 4, n: 1 });
  });
});

describe("a series", () => {
  const series = new Series([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10],
  ]);

  test("a series has percentiles by round, but no p90 if the rounds have too few values", () => {
    expect([series.count, series.total, series.min, series.max]).toEqual([10, 55, 1, 10]);
    expect(series.p(50)!.value).toBe(6);
    expect(series.p(90)).toBeUndefined();
    expect(series.estimate(percentile(99)).value).toBe(8);
    expect(series.estimate(stddev).value).toBeCloseTo(Math.sqrt(1.25), 9);
  });

  test("a ratio and its interval come from the ratio of each round, however much the rounds differ", () => {
    const rounds = (...values: number[]) =>
      new Series(values.map((value) => [value * 0.9, value, value * 1.1]));
    const slow = [1, 2, 3, 100, 200];
    const [a, b] = [rounds(...slow.map((value, at) => value * [4, 2, 5, 3, 6][at]!)), rounds(...slow)];
    expect(ratio(a, b)).toEqual({ value: 4, low: 2, high: 6, n: 5 });
    expect(new Series([[1], [2], [9], [10]]).estimate().value).toBe(5.5);
  });

  test("a series is written to JSON with its intervals and the numbers of each round", () => {
    const { p50, p99, count, means, medians } = JSON.parse(JSON.stringify(series));
    expect(p50).toEqual({ value: 6, low: 2, high: 9, n: 3 });
    expect([p99, count, means, medians]).toEqual([undefined, 10, [2.5, 6.5, 9.5], [2, 6, 9]]);
    expect(JSON.parse(JSON.stringify(new Series([[3], [4]])))).toMatchObject({ values: [3, 4] });
  });
});

const range = (low: number, high: number, n = 9): Estimate => ({ value: (low + high) / 2, low, high, n });

describe("a verdict", () => {
  test.each([
    [range(1.1, 1.3), "at least", 1, "yes"],
    [range(0.9, 1.3), "at least", 1, "undecided"],
    [range(0.7, 0.9), "at least", 1, "no"],
    [range(0.7, 0.9), "at most", 1, "yes"],
    [range(0.9, 1.1), "at most", 1, "undecided"],
    [range(1.1, 1.2), "at most", 1, "no"],
    [range(5, 6, 4), "at least", 1, "undecided"],
  ] as const)("a verdict of %j, %s %d, is %s", (estimate, bound, limit, verdict) => {
    expect(decide(estimate, bound, limit)).toBe(verdict);
  });

  test("a check shows the numbers that decided it, and a summary counts the verdicts", () => {
    const checks = [
      atLeast("it is faster", range(2, 4), 1, {
        article: "lambda.one",
        beside: "kept: 4x",
        detail: "2 and 1 ms",
      }),
      atMost("it is small", range(2, 4), 3),
      exactly("it is right", false, "1 wrong"),
    ];
    expect(checkText(checks[0]!)).toBe("it is faster: 2.0x to 4.0x; 2 and 1 ms");
    expect(checks[0]).toMatchObject({ article: { id: "lambda.one", number: 3.3 }, beside: "kept: 4x" });
    expect(summaryOf(checks)).toBe("1 yes, 1 no, 1 undecided.");
    expect(summaryOf([])).toBe("This scenario measures, and has no checks.");
  });
});

test.each([
  ["lambda", "one", range(3, 4), "yes", "inside the interval"],
  ["lambda", "one", range(5, 7), "yes", "same order of magnitude"],
  ["reconnect", "anew", range(5, 7), "yes", "same direction"],
  ["serverless", "smallFunction", range(62, 74), "yes", "same direction"],
  ["serverless", "lightweight", range(-0.4, -0.1), "no", undefined],
  ["keepalive", "reuse", range(3, 4), "yes", "same direction"],
  ["lambda", "one", range(0.5, 2), "undecided", undefined],
] as const)("the claim %s.%s at %j is %s, %s", (article, name, estimate, verdict, agreement) => {
  const claim = { article: `${article}.${name}` as never };
  const check =
    name === "lightweight"
      ? atMost("it holds", estimate, 0.5, claim)
      : atLeast("it holds", estimate, 1, claim);
  const [judged] = decided([check], 5);
  expect([judged!.verdict, judged!.agreement]).toEqual([verdict, agreement]);
  expect(decided([check], 4)[0]).toMatchObject({ verdict: "undecided" });
});

test("the load guard warns if other processes used more than a tenth of the machine", () => {
  expect(warningOf(0.05, 0.1)).toBeUndefined();
  expect(warningOf(0.05, null)).toBeUndefined();
  expect(warningOf(0.5, 0.25)).toBe(
    "The machine was busy: other processes used 50% before the run and 25% during it. Repeat the run on an idle machine.",
  );
});

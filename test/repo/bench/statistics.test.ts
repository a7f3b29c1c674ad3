import { decodeFromCompressedBase64 } from "hdr-histogram-js";
import { describe, expect, test } from "vitest";
import {
  atLeast,
  atMost,
  checkText,
  claimOf,
  decide,
  exactly,
  summaryOf,
} from "../../../bench/src/results/checks.js";
import { warningOf } from "../../../bench/src/results/load-guard.js";
import { type Estimate, jackknife, ofMedians } from "../../../bench/src/statistics/estimate.js";
import { combine, mean, percentile, ratio, Series, stddev } from "../../../bench/src/statistics/series.js";
import { randomFrom } from "../../../bench/src/util/random.js";

/** Draws from the normal distribution (Box and Muller). */
const normalFrom = (random: () => number) =>
  Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());

describe("an interval", () => {
  test("an interval of the mean has about the width that theory gives", () => {
    const random = randomFrom(3);
    const values = Array.from({ length: 200 }, () => random());
    const { value, low, high, n } = new Series(values.map((each) => [each])).estimate(mean);
    // The standard error of the mean of 200 uniform numbers is 1 / sqrt(12 * 200).
    const error = 1 / Math.sqrt(12 * 200);
    expect(n).toBe(200);
    expect((high - low) / (2 * 1.96 * error)).toBeGreaterThan(0.8);
    expect((high - low) / (2 * 1.96 * error)).toBeLessThan(1.2);
    expect([low < value, value < high]).toEqual([true, true]);
  });

  test("an interval contains the true mean in about 95% of experiments", () => {
    const random = randomFrom(11);
    const covered = Array.from({ length: 200 }, () => {
      const rounds = Array.from({ length: 30 }, () => [random()]);
      const { low, high } = new Series(rounds).estimate(mean);
      return low <= 0.5 && 0.5 <= high;
    });
    const share = covered.filter(Boolean).length / covered.length;
    expect(share).toBeGreaterThan(0.88);
    expect(share).toBeLessThan(0.99);
  });

  const shapes: readonly [
    name: string,
    draw: (random: () => number) => number,
    mean: number,
    median: number,
  ][] = [
    ["normal", (random) => 10 + normalFrom(random), 10, 10],
    ["skewed", (random) => Math.exp(0.3 * normalFrom(random)), Math.exp(0.045), 1],
  ];
  test.each(shapes)(
    "five repetitions suffice: intervals of a %s mean and median cover it in 92% to 97% of experiments",
    (...shape) => {
      const [, draw, trueMean, trueMedian] = shape;
      const random = randomFrom(5);
      const covered = { mean: 0, median: 0 };
      for (let experiment = 0; experiment < 2_000; experiment++) {
        const series = new Series(Array.from({ length: 5 }, () => [draw(random)]));
        const [ofMean, ofMedian] = [series.estimate(mean), series.estimate()];
        covered.mean += Number(ofMean.low <= trueMean && trueMean <= ofMean.high);
        covered.median += Number(ofMedian.low <= trueMedian && trueMedian <= ofMedian.high);
      }
      for (const count of [covered.mean, covered.median]) {
        expect(count / 2_000).toBeGreaterThan(0.92);
        expect(count / 2_000).toBeLessThan(0.97);
      }
    },
  );

  test("the interval of a mean is that of Student, for few repetitions and for many", () => {
    const { value, low, high } = new Series([[1], [2], [3], [4], [5]]).estimate(mean);
    const reach = 2.776 * Math.sqrt(2.5 / 5);
    expect([value, low, high]).toEqual([3, expect.closeTo(3 - reach, 9), expect.closeTo(3 + reach, 9)]);
    const many = new Series(Array.from({ length: 21 }, (_, at) => [at])).estimate(mean);
    // Student's t at 20 degrees of freedom is 2.086; the variance of 0 to 20 is 38.5.
    expect(many.high).toBeCloseTo(10 + 2.086 * Math.sqrt(38.5 / 21), 2);
  });

  test("an interval of positive values does not reach zero, and one of values with zeros may", () => {
    const skewed = new Series([[1], [1], [1], [1], [40]]).estimate(percentile(90));
    expect([skewed.value, skewed.low > 0, skewed.high > 40]).toEqual([40, true, true]);
    expect(skewed.low * skewed.high).toBeCloseTo(40 * 40, 6);
    expect(new Series([[0], [0], [0], [0], [1]]).estimate(mean).low).toBeLessThan(0);
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

  test("an interval is over instances, not latencies: many latencies of a few instances stay uncertain", () => {
    const [slow, fast] = [Array(1_000).fill(10), Array(1_000).fill(1)];
    expect(new Series([slow, fast]).estimate(mean)).toMatchObject({ value: 5.5, low: 1, high: 10 });
    const { low, high } = new Series([slow, fast, slow, fast, slow]).estimate(mean);
    expect(high - low).toBeGreaterThan(10);
  });

  test("repetitions without values are left out, and one repetition has no interval", () => {
    expect(new Series([[1], [], [3], [2], [], [5]]).estimate()).toMatchObject({ low: 1, high: 5 });
    for (const estimate of [jackknife, ofMedians])
      expect(estimate(1, () => 4)).toEqual({ value: 4, low: 4, high: 4, n: 1 });
  });
});

describe("a series", () => {
  const series = new Series([
    [1, 2, 3, 4],
    [5, 6, 7, 8],
    [9, 10],
  ]);

  test("a series has percentiles over all rounds, and none beyond its count", () => {
    expect([series.count, series.total, series.min, series.max]).toEqual([10, 55, 1, 10]);
    expect(series.p(50)!.value).toBe(5);
    expect(series.p(90)!.value).toBe(9);
    expect(series.p(99)).toBeUndefined();
    expect(series.curve.at(-1)).toEqual([90, 9]);
    expect(series.estimate(percentile(99)).value).toBe(10);
    expect(series.estimate(stddev).value).toBeCloseTo(Math.sqrt(8.25), 9);
  });

  test("a comparison pairs rounds, so that a slow machine affects both sides", () => {
    const times = (factor: number) => new Series([1, 10, 2, 20, 4].map((load) => [load * factor]));
    expect(ratio(times(6), times(2))).toMatchObject({ value: 3, low: 3, high: 3 });
    expect(() => combine([times(1), series], (a, b) => a + b)).toThrow("same number of rounds");
  });

  test("a ratio and its interval are those of the rounds' own ratios, however much the rounds differ", () => {
    const rounds = (...values: number[]) =>
      new Series(values.map((value) => [value * 0.9, value, value * 1.1]));
    const slow = [1, 2, 3, 100, 200];
    const [a, b] = [rounds(...slow.map((value, at) => value * [4, 2, 5, 3, 6][at]!)), rounds(...slow)];
    expect(ratio(a, b)).toEqual({ value: 4, low: 2, high: 6, n: 5 });
    expect(new Series([[1], [2], [9], [10]]).estimate().value).toBe(5.5);
  });

  test("a ratio's interval covers it in 90% to 99.5% of experiments with other load in each round", () => {
    const random = randomFrom(17);
    const covered = { p99: 0, p50: 0, single: 0 };
    const count = 150;
    for (let experiment = 0; experiment < count; experiment++) {
      const load = Array.from({ length: 15 }, () => Math.exp(0.2 * normalFrom(random)));
      const arm = (scale: number, length: number) =>
        new Series(
          load.map((each) => Array.from({ length }, () => scale * each * Math.exp(0.3 * normalFrom(random)))),
        );
      const contains = ({ low, high }: Estimate) => Number(low <= 2 && 2 <= high);
      const [slow, fast] = [arm(2, 300), arm(1, 300)];
      covered.p99 += contains(ratio(slow, fast, percentile(99)));
      covered.p50 += contains(ratio(slow, fast));
      covered.single += contains(ratio(arm(2, 1), arm(1, 1)));
    }
    for (const [statistic, times] of Object.entries(covered)) {
      expect(times / count, statistic).toBeGreaterThan(0.9);
      expect(times / count, statistic).toBeLessThan(0.995);
    }
  });

  test("a series is written with intervals and with a histogram that can be read again", () => {
    const { histogram, p50, p999, count } = JSON.parse(JSON.stringify(series));
    expect(p50).toMatchObject({ value: 6, n: 3 });
    expect([p999, count]).toEqual([undefined, 10]);
    const decoded = decodeFromCompressedBase64(histogram.encoded);
    expect([decoded.totalCount, decoded.getValueAtPercentile(50) / 1e6]).toEqual([10, expect.closeTo(5, 1)]);
    expect(decodeFromCompressedBase64(histogram.rounds[2]).totalCount).toBe(2);
    expect(histogram.hgrm).toMatch(/Value\s+Percentile\s+TotalCount/);
    expect(JSON.parse(JSON.stringify(new Series([[3], [4]])))).toMatchObject({ values: [3, 4] });
  });

  test("a series can be analysed again from its JSON, by round, with three digits also of a few microseconds", () => {
    const rounds = [[0.00512, 0.00731], [0.0124], [], [12.3]];
    const { histogram, values } = JSON.parse(JSON.stringify(new Series(rounds)));
    // As many values as rounds, but not one in each.
    expect(values).toBeUndefined();
    const read = histogram.rounds.map((encoded: string) => {
      const decoded = decodeFromCompressedBase64(encoded);
      return Array.from(
        { length: decoded.totalCount },
        (_, at) => decoded.getValueAtPercentile((100 * (at + 1)) / decoded.totalCount) / 1e6,
      );
    });
    for (const [round, own] of rounds.entries()) {
      expect(read[round]).toHaveLength(own.length);
      for (const [at, value] of own.entries()) expect(read[round][at] / value).toBeCloseTo(1, 2);
    }
  });
});

describe("a verdict", () => {
  const at = (low: number, high: number, n = 9): Estimate => ({ value: (low + high) / 2, low, high, n });

  test.each([
    [at(1.1, 1.3), "at least", 1, "yes"],
    [at(0.9, 1.3), "at least", 1, "undecided"],
    [at(0.7, 0.9), "at least", 1, "no"],
    [at(0.7, 0.9), "at most", 1, "yes"],
    [at(0.9, 1.1), "at most", 1, "undecided"],
    [at(1.1, 1.2), "at most", 1, "no"],
    [at(5, 6, 4), "at least", 1, "undecided"],
  ] as const)("a verdict of %j, %s %d, is %s", (estimate, bound, limit, verdict) => {
    expect(decide(estimate, bound, limit)).toBe(verdict);
  });

  test("a verdict is worded by the runner: an article's claim is reproduced, a promise passes", () => {
    const article = { article: claimOf("lambda", "one"), beside: "kept: 4x", detail: "2 and 1 ms" };
    const checks = [
      atLeast("it is faster", at(2, 4), 1, article),
      atLeast("it is much faster", at(2, 4), 10, article),
      atMost("it is small", at(2, 4), 3),
      exactly("it loses nothing", true, "0 of 4"),
      exactly("it is right", false, "1 wrong"),
    ];
    expect(checkText(checks[0]!)).toBe("it is faster: 3.0x (2.0x to 4.0x); 2 and 1 ms");
    expect(summaryOf(checks)).toBe(
      "Reproduced: it is faster (3.0x (2.0x to 4.0x); 2 and 1 ms). " +
        "Not reproduced: it is much faster (3.0x (2.0x to 4.0x); 2 and 1 ms). " +
        "Failed: it is right (1 wrong). " +
        "Undecided, since the interval contains the limit or there are too few repetitions: it is small (3.0x (2.0x to 4.0x)). " +
        "1 of 3 checks of warmline passes.",
    );
  });
});

test("the load guard warns when others used more than a tenth of the machine", () => {
  expect(warningOf(0.05, 0.1)).toBeUndefined();
  expect(warningOf(0.05, null)).toBeUndefined();
  expect(warningOf(0.5, 0.25)).toBe(
    "The machine was busy: other processes used 50% before the run and 25% during it. Repeat the run on an idle machine.",
  );
});

test("a scenario without checks has a summary all the same", () => {
  expect(summaryOf([])).toBe("This scenario measures, and has no checks.");
});

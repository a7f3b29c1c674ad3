import { type Estimate, jackknife, ofMedians, type Weights } from "./estimate.js";
import { Latencies } from "./latencies.js";

/** The percentiles that curves are drawn through. */
const CURVE = [
  0, 5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 97, 98, 99, 99.5, 99.7, 99.8, 99.9,
];

/** A number computed from the rounds of a series by weight. */
export type Statistic = (series: Series, weights: Weights) => number;

/** Returns the statistic that `percent` per cent of the values do not exceed. */
export const percentile =
  (percent: number): Statistic =>
  (series, weights) =>
    series.percentile(percent, weights);

export const p50 = percentile(50);
export const mean: Statistic = (series, weights) => series.mean(weights);
/** The standard deviation of all values. */
export const stddev: Statistic = (series, weights) => series.stddev(weights);

/** The values of one case, round by round: one instance, process or trial each. */
export class Series {
  /** All values in ascending order, and the round of each. */
  readonly #sorted: Float64Array;
  readonly #roundOf: Uint16Array;

  constructor(readonly rounds: readonly (readonly number[])[]) {
    const all = rounds.flatMap((values, round) => values.map((value) => [value, round] as const));
    all.sort(([a], [b]) => a - b);
    this.#sorted = Float64Array.from(all, ([value]) => value);
    this.#roundOf = Uint16Array.from(all, ([, round]) => round);
  }

  get count(): number {
    return this.#sorted.length;
  }

  get total(): number {
    return this.#sorted.reduce((sum, value) => sum + value, 0);
  }

  get min(): number {
    return this.#sorted[0] ?? Number.NaN;
  }

  get max(): number {
    return this.#sorted.at(-1) ?? Number.NaN;
  }

  percentile(percent: number, weights: Weights): number {
    let total = 0;
    for (const round of this.#roundOf) total += weights[round]!;
    const rank = Math.max(1, Math.ceil((percent / 100) * total));
    let seen = 0;
    for (let at = 0; at < this.#sorted.length; at++) {
      seen += weights[this.#roundOf[at]!]!;
      if (seen >= rank) return this.#sorted[at]!;
    }
    return Number.NaN;
  }

  mean(weights: Weights): number {
    let [sum, count] = [0, 0];
    for (const [round, values] of this.rounds.entries()) {
      for (const value of values) sum += value * weights[round]!;
      count += values.length * weights[round]!;
    }
    return sum / count;
  }

  stddev(weights: Weights): number {
    const center = this.mean(weights);
    const squares = new Series(this.rounds.map((values) => values.map((value) => (value - center) ** 2)));
    return Math.sqrt(squares.mean(weights));
  }

  /** Returns a statistic with its interval over the rounds. Default: the median. */
  estimate(statistic: Statistic = p50): Estimate {
    return combine([this], (value) => value, statistic);
  }

  /** Returns a percentile with its interval; undefined if fewer than one value lies beyond it. */
  p(percent: number): Estimate | undefined {
    return this.shows(percent) ? this.estimate(percentile(percent)) : undefined;
  }

  /** Pairs of percentile and value, for a curve. */
  get curve(): readonly (readonly [percent: number, value: number])[] {
    const all = new Uint16Array(this.rounds.length).fill(1);
    return CURVE.filter((percent) => this.shows(percent)).map(
      (percent) => [percent, this.percentile(percent, all)] as const,
    );
  }

  /** The numbers for `--json`: percentiles with intervals, and the values as HDR histograms of nanoseconds. */
  toJSON(): object {
    const once = this.rounds.every(({ length }) => length === 1);
    return {
      count: this.count,
      rounds: this.rounds.length,
      min: this.min,
      max: this.max,
      mean: this.estimate(mean),
      p50: this.estimate(),
      ...(once
        ? { values: this.rounds.flat() }
        : { p90: this.p(90), p99: this.p(99), p999: this.p(99.9), histogram: this.#histogram() }),
    };
  }

  private shows(percent: number): boolean {
    return percent <= 50 ? this.count > 0 : this.count * (1 - percent / 100) >= 0.999;
  }

  #histogram() {
    const all = Latencies.of(this.rounds.flat());
    return {
      unit: "ns",
      encoded: all.encoded(),
      rounds: this.rounds.map((values) => Latencies.of(values).encoded()),
      hgrm: all.hgrm(),
    };
  }
}

/**
 * Combines a statistic of several series with its interval over the rounds. A round counts or is left out in all series alike, since
 * other load on the machine affects all cases of a round.
 * @throws if the series have different numbers of rounds
 */
export function combine(
  series: readonly Series[],
  how: (...values: number[]) => number,
  statistic: Statistic = p50,
): Estimate {
  const n = series[0]!.rounds.length;
  if (series.some(({ rounds }) => rounds.length !== n)) {
    throw new Error("compared cases need the same number of rounds");
  }
  const estimate = statistic === p50 ? ofMedians : jackknife;
  return estimate(n, (weights) => how(...series.map((each) => statistic(each, weights))));
}

/** Returns `a + b`, for the median unless another statistic is given. */
export const sum = (a: Series, b: Series, statistic?: Statistic): Estimate =>
  combine([a, b], (x, y) => x + y, statistic);

/** Returns the share by which a number falls from `all` to `rest`, of the means. */
export const reduction = (all: Series, rest: Series): Estimate =>
  combine([all, rest], (x, y) => 1 - y / x, mean);

/** Returns `a / b`: the median of the rounds' own ratios, or that of another statistic over all rounds. */
export const ratio = (a: Series, b: Series, statistic?: Statistic): Estimate =>
  combine([a, b], (x, y) => x / y, statistic);

/** Returns `a - b`, as {@link ratio} returns `a / b`. */
export const difference = (a: Series, b: Series, statistic?: Statistic): Estimate =>
  combine([a, b], (x, y) => x - y, statistic);

/** A number computed from repeated measurements: the median of the repetitions' own numbers, with its 95% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The number of repetitions (rounds, or runs of a publication), including those without a number. */
  readonly n: number;
}

/** Fewer repetitions than this decide nothing. */
export const MIN_REPETITIONS = 5;

const TAIL = 0.025;

/**
 * Estimates a number from that of each repetition: their median, with the interval of order statistics from the k-th smallest to
 * the k-th largest (David and Nagaraja, Order Statistics, section 7.1). It covers at least 95% from six repetitions on. With five it
 * is their range, which covers 93.8%; with four, 87.5%. Repetitions without a number (NaN) are left out.
 */
export function estimateOf(repetitions: readonly number[]): Estimate {
  const n = repetitions.length;
  const own = repetitions.filter((value) => !Number.isNaN(value)).sort((a, b) => a - b);
  if (own.length === 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN, n };
  const outside = own.length < 2 ? 0 : ranksOutside(own.length);
  return { value: median(own), low: own[outside]!, high: own.at(-1 - outside)!, n };
}

/** Returns how many of n sorted values lie outside the interval at each end: the most that leave the median inside in 95% of samples. */
function ranksOutside(n: number): number {
  let [outside, probability, below] = [0, 0.5 ** n, 0.5 ** n];
  for (;;) {
    probability *= (n - outside) / (outside + 1);
    below += probability;
    if (below > TAIL) return outside;
    outside++;
  }
}

/** The middle of some numbers; if their count is even, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** A number computed from the values of one repetition, in ascending order. NaN if there is none. */
type Statistic = (sorted: readonly number[]) => number;

/** Returns the statistic that `percent` per cent of the values do not exceed. */
export const percentile =
  (percent: number): Statistic =>
  (sorted) =>
    sorted[Math.max(1, Math.ceil((percent / 100) * sorted.length)) - 1] ?? Number.NaN;

export const p50 = percentile(50);
export const mean: Statistic = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;
export const stddev: Statistic = (values) => {
  const center = mean(values);
  return Math.sqrt(mean(values.map((value) => (value - center) ** 2)));
};

/** The values of one case by repetition: a round, with an instance or process of its own, or a run of a publication. */
export class Series {
  private readonly sorted: readonly (readonly number[])[];
  private readonly all: readonly number[];

  constructor(readonly rounds: readonly (readonly number[])[]) {
    this.sorted = rounds.map((values) => values.toSorted((a, b) => a - b));
    this.all = rounds.flat().sort((a, b) => a - b);
  }

  get count(): number {
    return this.all.length;
  }

  get total(): number {
    return this.all.reduce((sum, value) => sum + value, 0);
  }

  get min(): number {
    return this.all[0] ?? Number.NaN;
  }

  get max(): number {
    return this.all.at(-1) ?? Number.NaN;
  }

  each(statistic: Statistic): number[] {
    return this.sorted.map(statistic);
  }

  /** Returns a statistic with its interval over the repetitions. Default: the median. */
  estimate(statistic: Statistic = p50): Estimate {
    return estimateOf(this.each(statistic));
  }

  /** Returns a percentile with its interval; undefined if fewer than one value per repetition lies beyond it. */
  p(percent: number): Estimate | undefined {
    const beyond = (this.count / this.rounds.length) * (1 - percent / 100);
    return beyond >= 0.999 ? this.estimate(percentile(percent)) : undefined;
  }

  /** The numbers for `--json`: percentiles with intervals, and the numbers of each repetition that they are computed from. */
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
        : { p90: this.p(90), p99: this.p(99), means: this.each(mean), medians: this.each(p50) }),
    };
  }
}

/**
 * Combines a statistic of several series repetition by repetition: other load on the machine affects all cases of a repetition alike.
 * @throws if the series have different numbers of repetitions
 */
export function combine(series: readonly Series[], how: (...values: number[]) => number, statistic = p50) {
  const n = series[0]!.rounds.length;
  if (series.some(({ rounds }) => rounds.length !== n))
    throw new Error("compared cases need the same number of rounds");
  const numbers = series.map((each) => each.each(statistic));
  return estimateOf(Array.from({ length: n }, (_, at) => how(...numbers.map((own) => own[at]!))));
}

/** Returns the share by which the mean falls from `all` to `rest`. */
export const reduction = (all: Series, rest: Series): Estimate =>
  combine([all, rest], (x, y) => 1 - y / x, mean);

/** Returns `a / b`, of the medians unless another statistic is given. */
export const ratio = (a: Series, b: Series, statistic?: Statistic): Estimate =>
  combine([a, b], (x, y) => x / y, statistic);

/** Returns `a - b`, as {@link ratio} returns `a / b`. */
export const difference = (a: Series, b: Series, statistic?: Statistic): Estimate =>
  combine([a, b], (x, y) => x - y, statistic);

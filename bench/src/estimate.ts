import { randomFrom } from "./random.js";

/** A number computed from repeated measurements, with its 95% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The number of repetitions (instances, rounds or trials) that the interval is computed over. */
  readonly n: number;
}

/** How often each repetition was drawn into a resample. */
export type Weights = Uint16Array;

const RESAMPLES = 1_000;
const TAIL = 0.025;

/**
 * Computes a 95% percentile bootstrap interval (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 13).
 * Whole repetitions are resampled, not single latencies, since latencies of one instance depend on each other.
 * @param n the number of repetitions; with one, the interval is the value itself
 * @param statistic computes the number from repetitions by weight
 */
export function bootstrap(n: number, statistic: (weights: Weights) => number): Estimate {
  const value = statistic(new Uint16Array(n).fill(1));
  if (n < 2) return { value, low: value, high: value, n };
  // A fixed seed: the same measurements always get the same interval.
  const random = randomFrom(n);
  const values = Float64Array.from({ length: RESAMPLES }, () => {
    const weights = new Uint16Array(n);
    for (let draw = 0; draw < n; draw++) weights[Math.floor(random() * n)]!++;
    return statistic(weights);
  }).sort();
  return {
    value,
    low: values[Math.floor(TAIL * RESAMPLES)]!,
    high: values[Math.ceil((1 - TAIL) * RESAMPLES) - 1]!,
    n,
  };
}

import { median } from "./latencies.js";

/** A number computed from repeated measurements, with its 95% confidence interval. */
export interface Estimate {
  readonly value: number;
  readonly low: number;
  readonly high: number;
  /** The number of repetitions (instances, rounds or trials) that the interval is computed over. */
  readonly n: number;
}

/** How often each repetition counts. */
export type Weights = Uint16Array;

/** Computes a number from repetitions by weight. */
export type Weighted = (weights: Weights) => number;

/** Fewer repetitions than this decide nothing. */
export const MIN_REPETITIONS = 5;

const TAIL = 0.025;
/** Student's t at 97.5% for 1 to 10 degrees of freedom. */
const STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228];

/** Returns Student's t at 97.5%; above 10 degrees of freedom by the expansion of Abramowitz and Stegun, 26.7.5. */
const studentOf = (freedom: number): number =>
  STUDENT[freedom - 1] ?? 1.96 + 2.372 / freedom + 2.823 / freedom ** 2;

/**
 * Estimates a number with the interval of the jackknife: the standard error of its values without one repetition each, times
 * Student's t (Efron and Tibshirani, An Introduction to the Bootstrap, chapter 11). For a mean of equal repetitions it is Student's
 * interval, which covers less than 95% if few repetitions are much skewed. If it reaches zero, although all values are above zero, it
 * is computed from their logarithms. Whole repetitions are left out, not single latencies, since latencies of one instance depend on
 * each other. Below MIN_REPETITIONS it is the range of the repetitions' own numbers.
 */
export function jackknife(n: number, statistic: Weighted): Estimate {
  const value = statistic(weightsOf(n, 1));
  if (n < MIN_REPETITIONS) {
    const own = ownNumbers(n, statistic);
    return { value, low: Math.min(value, ...own), high: Math.max(value, ...own), n };
  }
  const others = numbers(n, (each) => statistic(weightsOf(n, 1, each, 0)));
  const reach = reachOf(n, others);
  if (reach < value || value <= 0 || others.some((other) => other <= 0))
    return { value, low: value - reach, high: value + reach, n };
  const factor = Math.exp(reachOf(n, others.map(Math.log)));
  return { value, low: value / factor, high: value * factor, n };
}

/** Returns the distance of the interval's ends, from the values without one repetition each. */
function reachOf(n: number, others: readonly number[]): number {
  const center = sum(others) / others.length;
  const error = Math.sqrt(((n - 1) / n) * sum(others.map((other) => (other - center) ** 2)));
  return studentOf(n - 1) * error;
}

/**
 * Estimates the median of the repetitions' own numbers, each of them a median or a ratio of two, with the interval of order
 * statistics: from the k-th smallest to the k-th largest (David and Nagaraja, Order Statistics, section 7.1). It covers at least
 * 95% from six repetitions on. With five it is their range, which covers 93.8%; with four, 87.5%.
 */
export function ofMedians(n: number, statistic: Weighted): Estimate {
  const own = ownNumbers(n, statistic).sort((a, b) => a - b);
  if (own.length === 0) return { value: Number.NaN, low: Number.NaN, high: Number.NaN, n };
  const outside = own.length < 2 ? 0 : ranksOutside(own.length);
  return { value: median(own), low: own[outside]!, high: own.at(-1 - outside)!, n };
}

/** Returns the number of each repetition by itself. */
const ownNumbers = (n: number, statistic: Weighted): number[] =>
  numbers(n, (each) => statistic(weightsOf(n, 0, each, 1)));

/** Returns how many of n values lie outside the interval on each side: a median has so few below it in 2.5% of samples. */
function ranksOutside(n: number): number {
  let [outside, probability, below] = [0, 0.5 ** n, 0.5 ** n];
  for (;;) {
    probability *= (n - outside) / (outside + 1);
    below += probability;
    if (below > TAIL) return outside;
    outside++;
  }
}

/** Returns n equal weights, but for one repetition. */
function weightsOf(n: number, weight: number, but = -1, other = 0): Weights {
  const weights = new Uint16Array(n).fill(weight);
  if (but >= 0) weights[but] = other;
  return weights;
}

/** Returns the number of each repetition; one without values has none. */
const numbers = (n: number, of: (each: number) => number): number[] =>
  Array.from({ length: n }, (_, each) => of(each)).filter((value) => !Number.isNaN(value));

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);

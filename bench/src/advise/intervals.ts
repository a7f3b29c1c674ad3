import type { Estimate } from "../statistics/estimate.js";

// Arithmetic on estimates. The interval of a result is that of the worst case of its parts.

/** A number without an interval. */
export const constant = (value: number): Estimate => ({ value, low: value, high: value, n: Infinity });

export const plus = (a: Estimate, b: Estimate): Estimate => ({
  value: a.value + b.value,
  low: a.low + b.low,
  high: a.high + b.high,
  n: Math.min(a.n, b.n),
});

export const times = ({ value, low, high, n }: Estimate, by: number): Estimate => ({
  value: value * by,
  low: (by < 0 ? high : low) * by,
  high: (by < 0 ? low : high) * by,
  n,
});

export const minus = (a: Estimate, b: Estimate): Estimate => plus(a, times(b, -1));

/** Raises negative numbers to 0: noise, where a difference cannot be negative. */
export const atLeastZero = ({ value, low, high, n }: Estimate): Estimate => ({
  value: Math.max(0, value),
  low: Math.max(0, low),
  high: Math.max(0, high),
  n,
});

/** The value at a place between measured ones, on a straight line; beyond them, that of the nearest two's line. */
export function between(points: readonly (readonly [at: number, value: Estimate])[], at: number): Estimate {
  const sorted = [...points].sort(([a], [b]) => a - b);
  if (sorted.length === 1) return sorted[0]![1];
  const next = sorted.findIndex(([place]) => place >= at);
  const upper = next < 0 ? sorted.length - 1 : Math.max(1, next);
  const [[x0, y0], [x1, y1]] = [sorted[upper - 1]!, sorted[upper]!];
  const weight = (at - x0) / (x1 - x0);
  return plus(times(y0, 1 - weight), times(y1, weight));
}

import type { Estimate } from "../statistics/estimate.js";

/** A time in milliseconds, with its unit. */
export const ms = (value: number): string => `${value.toFixed(2)} ms`;

/** A time in seconds, with its unit. */
export const seconds = (value: number): string => `${value.toFixed(1)} s`;

/** An amount of money. */
export const dollars = (value: number): string => `$${value.toFixed(2)}`;

/** How many times as much. */
export const factor = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)}x`;

/** How many times as much, to three digits behind the point. */
export const preciseFactor = (value: number): string => `${value.toFixed(3)}x`;

/** A share as a percentage. */
export const share = (ratio: number): string => `${(ratio * 100).toFixed(1)}%`;

/** A whole number with separators. */
export const count = (value: number): string => Math.round(value).toLocaleString("en");

/** Numbers whose interval is wider than this factor are no figure: they are shown as a range. */
const WIDE = 1.5;

/** An estimate with its interval: "1.72 ms (1.65 ms to 1.80 ms)", or a range if that is wide. One repetition has no interval. */
export function withInterval({ value, low, high, n }: Estimate, text: (value: number) => string): string {
  if (n < 2) return text(value);
  const range = `${text(low)} to ${text(high)}`;
  return low > 0 && high > WIDE * low ? range : `${text(value)} (${range})`;
}

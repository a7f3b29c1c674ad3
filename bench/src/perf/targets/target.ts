import type { Spread } from "../ratios.js";

/** A limit and its measurement. */
export interface Target {
  readonly node: string;
  readonly measure: string;
  /** The baseline of the comparison. */
  readonly against: string;
  readonly bound: "at most" | "at least";
  readonly limit: number;
  /** Ratios as `x`, sizes as `bytes`. */
  readonly unit: "x" | "bytes";
  readonly measured: Spread;
  /** The medians behind the ratio, in words. */
  readonly medians: string;
}

/** Returns whether the median is within the limit. */
export function isMet({ bound, limit, measured }: Target): boolean {
  return bound === "at most" ? measured.median <= limit : measured.median >= limit;
}

/** A limit or a measurement as text. */
export function amount({ unit }: Target, value: number): string {
  return unit === "bytes"
    ? `${Math.round(value).toLocaleString("en")} bytes`
    : `${value.toFixed(value < 10 ? 2 : 1)}x`;
}

/** Returns the measurement as text, with enough digits to show on which side of the limit it is. */
export function measuredText(target: Target): string {
  const { limit, measured, unit } = target;
  const text = amount(target, measured.median);
  if (unit === "bytes" || isMet(target) || text !== amount(target, limit)) return text;
  const digits = [3, 4, 5].find((each) => measured.median.toFixed(each) !== limit.toFixed(each)) ?? 6;
  return `${measured.median.toFixed(digits)}x`;
}

/** Returns the target as text, such as `at most 0.45x @upstash/redis`. */
export function wanted(target: Target): string {
  const { bound, limit, against } = target;
  return `${bound} ${amount(target, limit)}${against === "" ? "" : ` ${against}`}`;
}

import { median } from "../latencies.js";

/** Numbers in the middle and where the middle half of them lies. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** The median and the quartiles; of fewer than four numbers the least and the largest. */
export function spreadOf(values: readonly number[]): Spread {
  const sorted = [...values].sort((a, b) => a - b);
  const quarter = Math.floor(sorted.length / 4);
  return { median: median(sorted), low: sorted[quarter]!, high: sorted[sorted.length - 1 - quarter]! };
}

/**
 * Returns the ratio of two measurements, computed per round: other load on the machine affects both measurements of a
 * round alike.
 */
export function pairedRatio(ours: readonly number[], theirs: readonly number[]): Spread {
  if (ours.length !== theirs.length || ours.length === 0)
    throw new Error("both clients need the same number of rounds, at least one");
  return spreadOf(ours.map((value, round) => value / theirs[round]!));
}

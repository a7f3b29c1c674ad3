import { build, type Histogram } from "hdr-histogram-js";

const NS_PER_MS = 1e6;
const MAX_NS = 60e9;

/** Latencies in an HDR histogram of three significant digits, from a nanosecond to a minute. */
export class Latencies {
  readonly #histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: MAX_NS,
    numberOfSignificantValueDigits: 3,
  });

  /** Records one latency in ms. */
  record(ms: number): void {
    this.#histogram.recordValue(Math.min(MAX_NS, Math.max(1, Math.round(ms * NS_PER_MS))));
  }

  /** The latency in ms that `percent` per cent do not exceed. */
  percentile(percent: number): number {
    return this.#histogram.getValueAtPercentile(percent) / NS_PER_MS;
  }
}

/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

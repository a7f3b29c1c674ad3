import { build, type Histogram } from "hdr-histogram-js";

/** The percentiles that curves are drawn through. */
const CURVE = [
  0, 5, 10, 20, 30, 40, 50, 60, 70, 75, 80, 85, 90, 92.5, 95, 97, 98, 99, 99.5, 99.7, 99.8, 99.9,
];

/** A summary of latencies, all in milliseconds. */
export interface LatencyStats {
  readonly count: number;
  readonly min: number;
  readonly mean: number;
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
  /** Pairs of percentile and latency. */
  readonly curve: readonly (readonly [percentile: number, ms: number])[];
}

/** Latencies in a histogram of three significant digits, from a microsecond to a minute. */
export class Latencies {
  private readonly histogram: Histogram = build({
    lowestDiscernibleValue: 1,
    highestTrackableValue: 60_000_000,
    numberOfSignificantValueDigits: 3,
  });

  /** Records one latency in milliseconds. */
  record(ms: number): void {
    this.histogram.recordValue(Math.max(1, Math.round(ms * 1_000)));
  }

  /** The latency in milliseconds that so many percent do not exceed. */
  percentile(percent: number): number {
    return this.histogram.getValueAtPercentile(percent) / 1_000;
  }

  stats(): LatencyStats {
    const count = this.histogram.totalCount;
    // A percentile that fewer than one latency lies beyond would only show the highest once more.
    const shown = CURVE.filter((percent) => count * (1 - percent / 100) >= 0.999);
    return {
      count,
      min: this.histogram.minNonZeroValue / 1_000,
      mean: this.histogram.mean / 1_000,
      p50: this.percentile(50),
      p90: this.percentile(90),
      p99: this.percentile(99),
      max: this.histogram.maxValue / 1_000,
      curve: shown.map((percent) => [percent, this.percentile(percent)] as const),
    };
  }
}

/** The middle of some numbers; of an even count the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** The middle of some numbers and how far they go. */
export interface Spread {
  readonly median: number;
  readonly min: number;
  readonly max: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) };
}

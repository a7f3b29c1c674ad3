/** Upper bounds of buckets for durations, in seconds. */
export const SECONDS: readonly number[] = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Upper bounds of buckets for sizes, in bytes: powers of four from 64 bytes to 256 MB. */
export const BYTES: readonly number[] = Array.from({ length: 12 }, (_, power) => 64 * 4 ** power);

/** Counts values by bucket. `observe` runs for every request, so it only counts. */
export class Histogram {
  /** Values in each bucket alone; the last bucket holds the values above all bounds. */
  readonly counts: Float64Array;
  sum = 0;

  /** @param bounds upper bounds of the buckets, in the unit of the values, ascending */
  constructor(readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    this.sum += value;
    let bucket = 0;
    while (bucket < bounds.length && value > bounds[bucket]!) bucket++;
    counts[bucket]!++;
  }
}

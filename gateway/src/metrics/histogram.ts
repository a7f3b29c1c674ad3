/** Upper bounds of the buckets, in seconds. */
export const BOUNDS = [
  0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10,
];

/** Counts durations by size. It is fed with every request, so that it does nothing but count. */
export class Histogram {
  /** How many fell into each bucket alone; the last one is for those beyond all bounds. */
  readonly counts = new Float64Array(BOUNDS.length + 1);
  sum = 0;

  /** @param ms how long it took, in ms */
  observe(ms: number): void {
    const seconds = ms / 1_000;
    this.sum += seconds;
    let bucket = 0;
    while (bucket < BOUNDS.length && seconds > BOUNDS[bucket]!) bucket++;
    this.counts[bucket]!++;
  }
}

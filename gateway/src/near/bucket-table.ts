import { randomBytes } from "node:crypto";

/** Maximum number of buckets that a response lists. If more have changed, it reports that any key may have. */
export const MAX_LISTED = 512;
/** Any key may have changed. */
export const ALL = "*";

/** The order in which keys have changed, by hash slot. Only as many are kept as a response may list. */
export class BucketTable {
  /** Identifies the table to clients, whose last report may have been of another one. */
  readonly epoch = BigInt(`0x${randomBytes(6).toString("hex")}`).toString(36);
  /** The number of changes so far. */
  sequence = 0;
  /** The number of the last change of any key, or of a bucket that is not kept. */
  #allChangedAt = 0;
  /** The number of each bucket's last change. The bucket that changed last comes last. */
  readonly #changedAt = new Map<number, number>();

  /** Records that a key of the bucket has changed. */
  change(bucket: number): void {
    const changedAt = this.#changedAt;
    changedAt.delete(bucket);
    changedAt.set(bucket, ++this.sequence);
    if (changedAt.size <= MAX_LISTED) return;
    const [oldest, last] = changedAt.entries().next().value!;
    changedAt.delete(oldest);
    this.#allChangedAt = last;
  }

  /** Records that any key may have changed. */
  changeAll(): void {
    this.#changedAt.clear();
    this.#allChangedAt = ++this.sequence;
  }

  /**
   * Returns the buckets that have changed since the change with the number `sequence`, in base 36 with commas between. The
   * text is empty if no bucket has changed, and {@link ALL} if any key may have changed.
   */
  changesSince(sequence: number): string {
    if (sequence === this.sequence) return "";
    if (!(sequence >= this.#allChangedAt && sequence < this.sequence)) return ALL;
    const buckets: string[] = [];
    for (const [bucket, changedAt] of this.#changedAt)
      if (changedAt > sequence) buckets.push(bucket.toString(36));
    return buckets.join(",");
  }
}

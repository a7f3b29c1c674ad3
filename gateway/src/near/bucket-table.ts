import { SLOTS } from "../redis/cluster/slot.js";

/** Maximum number of buckets that a response lists. If more have changed, it reports that any key may have. */
export const MAX_LISTED = 512;
/** Any key may have changed. */
export const ALL = "*";

/** The head of the list of buckets. */
const HEAD = SLOTS;

/**
 * The order in which keys have changed, by bucket. A key's bucket is its hash slot, so the table never grows. Buckets that
 * have changed form a linked list, the last changed first.
 */
export class BucketTable {
  /** The number of changes so far. */
  sequence = 0;
  /** The number of the last change of any key. */
  #allChangedAt = 0;
  /** The number of each bucket's last change, or 0. */
  readonly #changedAt = new Float64Array(SLOTS);
  readonly #next = new Uint16Array(SLOTS + 1).fill(HEAD);
  readonly #previous = new Uint16Array(SLOTS + 1).fill(HEAD);

  /** Records that a key of the bucket has changed. */
  change(bucket: number): void {
    const next = this.#next;
    const previous = this.#previous;
    if (this.#changedAt[bucket] !== 0) {
      next[previous[bucket]!] = next[bucket]!;
      previous[next[bucket]!] = previous[bucket]!;
    }
    this.#changedAt[bucket] = ++this.sequence;
    const second = next[HEAD]!;
    next[bucket] = second;
    previous[bucket] = HEAD;
    previous[second] = bucket;
    next[HEAD] = bucket;
  }

  /** Records that any key may have changed. */
  changeAll(): void {
    this.#allChangedAt = ++this.sequence;
  }

  /**
   * Returns the buckets that have changed since the change with the number `sequence`, in base 36 with commas between. The
   * text is empty for none, and {@link ALL} if any key may have changed.
   */
  changesSince(sequence: number): string {
    if (sequence === this.sequence) return "";
    if (!(sequence >= this.#allChangedAt && sequence < this.sequence)) return ALL;
    const buckets: string[] = [];
    for (
      let bucket = this.#next[HEAD]!;
      bucket !== HEAD && this.#changedAt[bucket]! > sequence;
      bucket = this.#next[bucket]!
    ) {
      if (buckets.length === MAX_LISTED) return ALL;
      buckets.push(bucket.toString(36));
    }
    return buckets.join(",");
  }
}

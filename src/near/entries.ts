import { slotOf } from "../execution/exactly-once/slot.js";
import { toBytes } from "../protocol/bytes.js";
import type { RawReply } from "../protocol/reply.js";
import type { Provenance } from "./reports.js";

/** A reply in memory. */
export interface Entry extends Provenance {
  readonly id: string;
  readonly reply: RawReply;
  /** Approximate number of bytes that it takes in memory. */
  readonly bytes: number;
  /** Bytes of the contents of its reply. */
  readonly contentBytes: number;
  readonly buckets: readonly number[];
  /** The shortest time to live of its keys when its request was sent, in ms. Infinity if no key expires. */
  readonly timeToLive: number;
}

/** Returns the bucket of a key in reports: its hash slot. */
export const bucketOf = (key: string): number => slotOf(toBytes(key));

/** Replies in memory, up to a number of bytes. The least recently used are removed first. */
export class Entries {
  /** The least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #byBucket = new Map<number, Set<Entry>>();
  #bytes = 0;

  constructor(private readonly maxBytes: number) {}

  get(id: string): Entry | undefined {
    return this.#entries.get(id);
  }

  /** Makes an entry the most recently used one. */
  use(entry: Entry): void {
    this.#entries.delete(entry.id);
    this.#entries.set(entry.id, entry);
  }

  /** Adds an entry. Returns how many others were removed to make room. */
  add(entry: Entry): number {
    const former = this.#entries.get(entry.id);
    if (former) this.remove(former);
    if (entry.bytes > this.maxBytes) return 0;
    this.#entries.set(entry.id, entry);
    this.#bytes += entry.bytes;
    for (const bucket of entry.buckets) {
      const inBucket = this.#byBucket.get(bucket);
      if (inBucket) inBucket.add(entry);
      else this.#byBucket.set(bucket, new Set([entry]));
    }
    let removed = 0;
    for (const oldest of this.#entries.values()) {
      if (this.#bytes <= this.maxBytes) break;
      this.remove(oldest);
      removed++;
    }
    return removed;
  }

  remove(entry: Entry): void {
    if (this.#entries.get(entry.id) !== entry) return;
    this.#entries.delete(entry.id);
    this.#bytes -= entry.bytes;
    for (const bucket of entry.buckets) {
      // Two keys of the entry may be in one bucket.
      const inBucket = this.#byBucket.get(bucket);
      if (inBucket?.delete(entry) && inBucket.size === 0) this.#byBucket.delete(bucket);
    }
  }

  /** Returns the entries with a key in one of the buckets, or all of them. */
  within(buckets: Iterable<number> | "*"): Entry[] {
    if (buckets === "*") return [...this.#entries.values()];
    const found = new Set<Entry>();
    for (const bucket of buckets) for (const entry of this.#byBucket.get(bucket) ?? []) found.add(entry);
    return [...found];
  }
}

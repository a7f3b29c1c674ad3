import type { Key } from "../commands/reply-mode.js";
import type { CollectionScanOptions, ScanCommandOptions } from "../commands/types.js";
import type { CommandExecutor } from "../execution/executor.js";
import { atCaller } from "../util/at-caller.js";

/** Filters of scanIterator. */
export type ScanIteratorOptions = Omit<ScanCommandOptions, "withType">;

/**
 * Iterators over the commands of the SCAN family, page by page. As with SCAN, an element that exists from beginning to end is
 * returned at least once, and may be returned twice.
 *
 * @typeParam V the type that the client's codec gives stored values.
 */
export interface Iterators<V = unknown> {
  /** Every key: `for await (const key of redis.scanIterator({ match: "user:*" }))`. */
  scanIterator(options?: ScanIteratorOptions): AsyncGenerator<string, void>;
  /** Every field of a hash with its value. */
  hscanIterator<T = V>(
    key: Key,
    options?: CollectionScanOptions,
  ): AsyncGenerator<[field: string, value: T], void>;
  /** Every member of a set. */
  sscanIterator<T = V>(key: Key, options?: CollectionScanOptions): AsyncGenerator<T, void>;
  /** Every member of a sorted set with its score. */
  zscanIterator<T = V>(
    key: Key,
    options?: CollectionScanOptions,
  ): AsyncGenerator<[member: T, score: number], void>;
}

/** Yields the elements of a command of the SCAN family. `args` are the iterator's: a key, except for scan, and options. */
export async function* iterate(
  executor: CommandExecutor,
  name: "scan" | "hscan" | "sscan" | "zscan",
  ...args: unknown[]
): AsyncGenerator<unknown, void> {
  // hscan and zscan return pairs, as two items each.
  const width = /^[hz]/.test(name) ? 2 : 1;
  const key = name === "scan" ? [] : [args.shift()];
  let cursor = "0";
  try {
    do {
      const [next, items] = (await executor.call(name, ...key, cursor, ...args)) as [string, unknown[]];
      for (let i = 0; i < items.length; i += width) yield width > 1 ? items.slice(i, i + width) : items[i];
      cursor = next;
    } while (cursor !== "0");
  } catch (error) {
    throw atCaller(error, iterate);
  }
}

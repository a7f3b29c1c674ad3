import type { Key } from "../commands/reply-mode.js";
import type { CollectionScanOptions, ScanCommandOptions } from "../commands/types.js";
import type { CommandExecutor } from "../execution/executor.js";
import { atCaller } from "../util/at-caller.js";

/** Filters of scanIterator. */
export type ScanIteratorOptions = Omit<ScanCommandOptions, "withType">;

/**
 * Iterators over what the SCAN family gives, page by page, with SCAN's own guarantees: what is there from beginning
 * to end is given at least once, and may be given twice.
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

/**
 * The pages of a command of the SCAN family, one after another.
 * @param name the command's method.
 * @param args what the iterator was called with: a key, unless the command is scan, and options.
 */
export async function* iterate(
  executor: CommandExecutor,
  name: "scan" | "hscan" | "sscan" | "zscan",
  ...args: unknown[]
): AsyncGenerator<unknown, void> {
  // hscan and zscan give two items in turn that belong together; scan alone has no key.
  const width = /^[hz]/.test(name) ? 2 : 1;
  const key = args.splice(0, name === "scan" ? 0 : 1);
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

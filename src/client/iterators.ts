import type { Key } from "../commands/kind.js";
import type { ScanCommandOptionsStandard } from "../commands/types.js";

export type ScanIteratorOptions = ScanCommandOptionsStandard;
export type CollectionIteratorOptions = Pick<ScanCommandOptionsStandard, "match" | "count">;

/**
 * Iterators over what the SCAN family gives, page by page, with SCAN's own guarantees: what is there from beginning
 * to end is given at least once, and may be given twice.
 */
export interface Iterators {
  /** Every key: `for await (const key of redis.scanIterator({ match: "user:*" }))`. */
  scanIterator(options?: ScanIteratorOptions): AsyncGenerator<string, void>;
  /** Every field of a hash with its value. */
  hscanIterator<T = unknown>(
    key: Key,
    options?: CollectionIteratorOptions,
  ): AsyncGenerator<[field: string, value: T], void>;
  /** Every member of a set. */
  sscanIterator<T = unknown>(key: Key, options?: CollectionIteratorOptions): AsyncGenerator<T, void>;
  /** Every member of a sorted set with its score. */
  zscanIterator<T = unknown>(
    key: Key,
    options?: CollectionIteratorOptions,
  ): AsyncGenerator<[member: T, score: number], void>;
}

export const ITERATORS = ["scanIterator", "hscanIterator", "sscanIterator", "zscanIterator"] as const;

type Page = Promise<[cursor: string, items: unknown[]]>;

/** @param width how many items in turn belong together: 1 gives each by itself. */
async function* pages(scan: (cursor: string) => Page, width: 1 | 2): AsyncGenerator<unknown, void> {
  let cursor = "0";
  do {
    const [next, items] = await scan(cursor);
    for (let i = 0; i < items.length; i += width) yield width === 1 ? items[i] : items.slice(i, i + width);
    cursor = next;
  } while (cursor !== "0");
}

/** @param call calls a method by its name. */
export function iteratorsBy(
  call: (method: string, ...args: unknown[]) => Promise<unknown>,
): Record<keyof Iterators, unknown> {
  const inside = (method: string, width: 1 | 2) => (key: Key, options?: CollectionIteratorOptions) =>
    pages((cursor) => call(method, key, cursor, options) as Page, width);
  return {
    scanIterator: (options?: ScanIteratorOptions) =>
      pages((cursor) => call("scan", cursor, options) as Page, 1),
    hscanIterator: inside("hscan", 2),
    sscanIterator: inside("sscan", 1),
    zscanIterator: inside("zscan", 2),
  };
}

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

/**
 * An iterator's method.
 * @param call calls a command by its method's name.
 */
export function iteratorBy(
  name: keyof Iterators,
  call: (method: string, ...args: unknown[]) => Promise<unknown>,
): unknown {
  // hscan and zscan give two items in turn that belong together; scan alone has no key.
  const width = /^[hz]/.test(name) ? 2 : 1;
  return async function* (...args: unknown[]) {
    const key = args.splice(0, name === "scanIterator" ? 0 : 1);
    let cursor = "0";
    do {
      const page = call(name.replace("Iterator", ""), ...key, cursor, ...args);
      const [next, items] = (await page) as [cursor: string, items: unknown[]];
      for (let i = 0; i < items.length; i += width) yield width > 1 ? items.slice(i, i + width) : items[i];
      cursor = next;
    } while (cursor !== "0");
  };
}

import { isBuilding, type NextCacheOptions, Store } from "./store.js";
import type { Durations } from "./tag-times.js";

/** An entry of `use cache`. Times are in seconds, `timestamp` in ms since the epoch. */
export interface UseCacheEntry {
  /** The serialized value. */
  value: ReadableStream<Uint8Array>;
  /** The entry's tags, without the page's tags. */
  tags: string[];
  /** How long the browser may use it. */
  stale: number;
  /** When it was created. */
  timestamp: number;
  /** How long it may be used. */
  expire: number;
  /** How long until it must be renewed. -1: renew it now. */
  revalidate: number;
}

/** A handler for `cacheHandlers` of Next.js 16. */
export interface UseCacheHandler {
  /** Returns the entry, or undefined if it is missing, or if one of its tags or of `softTags`, the page's tags, has expired. */
  get(key: string, softTags: string[]): Promise<UseCacheEntry | undefined>;
  /** Stores the entry once it is complete. */
  set(key: string, pending: Promise<UseCacheEntry>): Promise<void>;
  /** Does nothing: the tags are read with each entry. */
  refreshTags(): Promise<void>;
  /** Returns Infinity: Next.js then passes the page's tags to `get`. */
  getExpiration(tags: string[]): Promise<number>;
  /** Revalidates tags on all instances. @throws if Redis can't be reached */
  updateTags(tags: string[], durations?: Durations): Promise<void>;
}

/** A stored entry. */
interface StoredEntry extends Omit<UseCacheEntry, "value"> {
  readonly value: Uint8Array;
}

/**
 * Creates a handler for `cacheHandlers` of Next.js: entries of `use cache` are shared by all instances. Make it the default
 * export of a module that `cacheHandlers` names. During `next build` it stores nothing.
 */
export function createUseCacheHandler(options: NextCacheOptions): UseCacheHandler {
  const store = new Store(options);
  const isBuild = isBuilding();
  /** Entries that this instance is storing. A read of such an entry waits. */
  const pending = new Map<string, Promise<void>>();
  const keyOf = (key: string) => `use-cache:${key}`;

  return {
    async get(key, softTags) {
      if (isBuild) return undefined;
      // If rendering fails, `set` rejects in the request that stores it. This request goes on with what is in Redis.
      await pending.get(key)?.catch(() => {});
      return store.read<StoredEntry, UseCacheEntry>(keyOf(key), async (entry) => {
        const freshness = await store.tags.freshness([...entry.tags, ...softTags], entry.timestamp);
        if (freshness === "expired") return undefined;
        return {
          ...entry,
          revalidate: freshness === "stale" ? -1 : entry.revalidate,
          value: new Blob([new Uint8Array(entry.value)]).stream(),
        };
      });
    },
    async set(key, pendingEntry) {
      if (isBuild) return;
      const storing = setEntry(key, pendingEntry);
      pending.set(key, storing);
      try {
        await storing;
      } finally {
        if (pending.get(key) === storing) pending.delete(key);
      }
    },
    async refreshTags() {},
    async getExpiration() {
      return Number.POSITIVE_INFINITY;
    },
    updateTags: (tags, durations) => store.tags.revalidate(tags, durations),
  };

  async function setEntry(key: string, pendingEntry: Promise<UseCacheEntry>): Promise<void> {
    const entry = await pendingEntry;
    // Next.js never reads such an entry again.
    if (entry.expire === 0) return;
    const read = async (): Promise<StoredEntry> => ({
      ...entry,
      value: new Uint8Array(await new Response(entry.value).arrayBuffer()),
    });
    await store.write(keyOf(key), read, entry.expire);
  }
}

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isBuilding, type NextCacheOptions, Store } from "./store.js";
import type { Durations } from "./tag-times.js";

/** The arguments of the constructor that the handler reads. */
export interface CacheHandlerContext {
  /** The folder `server` of the build. */
  readonly serverDistDir?: string;
  /** Tags that the current request revalidates. */
  readonly revalidatedTags?: readonly string[];
}

/** A stored page, image, or response of a route or of `fetch`. */
export interface CacheHandlerValue {
  /** When it was created, in ms since the epoch. -1: it must be renewed at once. */
  readonly lastModified: number;
  /** The value in the form of Next.js. */
  readonly value: any;
  /** The lifetime in the form of Next.js. */
  readonly cacheControl?: any;
}

/** A handler for `cacheHandler` of Next.js 15 and 16. */
export interface CacheHandler {
  /** Returns the value, or null if it is missing, or if one of its tags has expired. */
  get(key: string, context?: any): Promise<CacheHandlerValue | null>;
  /** Stores a value. Null removes it. */
  set(key: string, value: any, context?: any): Promise<void>;
  /** Revalidates tags on all instances. @throws if Redis can't be reached */
  revalidateTag(tags: string | string[], durations?: Durations): Promise<void>;
  /** Does nothing: the handler keeps nothing in memory. */
  resetRequestCache(): void;
}

/** The header in which Next.js stores the tags of a page. */
const TAGS_HEADER = "x-next-cache-tags";

/**
 * Creates a class for `cacheHandler` of Next.js: pages and responses of incremental static regeneration are shared by all
 * instances of a build. Make it the default export of the module that `cacheHandler` names. During `next build` it stores
 * nothing.
 */
export function createCacheHandler(
  options: NextCacheOptions,
): new (
  context: CacheHandlerContext,
) => CacheHandler {
  const store = new Store(options);

  return class implements CacheHandler {
    readonly #revalidated: readonly string[];
    readonly #keyOf: ((key: string) => string) | null;

    constructor({ serverDistDir, revalidatedTags = [] }: CacheHandlerContext) {
      this.#revalidated = revalidatedTags;
      // Pages refer to scripts of their build, so builds share no pages.
      const build = buildId(serverDistDir);
      this.#keyOf = isBuilding() ? null : (key) => `page:${build}:${key}`;
    }

    async get(key: string, context: any = {}): Promise<CacheHandlerValue | null> {
      if (!this.#keyOf) return null;
      const found = await store.read<CacheHandlerValue, CacheHandlerValue>(
        this.#keyOf(key),
        async (entry) => {
          const tags = collectTags(entry.value, context);
          if (tags.some((tag) => this.#revalidated.includes(tag))) return undefined;
          const freshness = await store.tags.freshness(tags, entry.lastModified);
          if (freshness === "expired") return undefined;
          return freshness === "stale" ? { ...entry, lastModified: -1 } : entry;
        },
      );
      return found ?? null;
    }

    async set(key: string, value: any, context: any = {}): Promise<void> {
      if (!this.#keyOf) return;
      if (value === null) await store.remove(this.#keyOf(key));
      else {
        const { cacheControl } = context;
        const entry: CacheHandlerValue = {
          lastModified: Date.now(),
          value: withTags(value, context),
          cacheControl,
        };
        await store.write(this.#keyOf(key), async () => entry, cacheControl?.expire);
      }
    }

    async revalidateTag(tags: string | string[], durations?: Durations): Promise<void> {
      await store.tags.revalidate([tags].flat(), durations);
    }

    resetRequestCache(): void {}
  };
}

/** The id of the build, which all instances of it share. */
function buildId(serverDistDir: string | undefined): string {
  try {
    return readFileSync(join(serverDistDir ?? ".next/server", "..", "BUILD_ID"), "utf8").trim();
  } catch {
    // `next dev` writes no BUILD_ID.
    return "development";
  }
}

function collectTags(
  value: any,
  { tags = [], softTags = [] }: { tags?: string[]; softTags?: string[] },
): string[] {
  const header = value?.headers?.[TAGS_HEADER];
  const storedTags: string[] = typeof header === "string" ? header.split(",") : (value?.tags ?? []);
  return [...new Set([...storedTags, ...tags, ...softTags])];
}

/** Responses of `fetch` keep the tags that they were stored with. */
function withTags(value: any, { tags }: { tags?: string[] }): any {
  return value.kind === "FETCH" && tags ? { ...value, tags } : value;
}

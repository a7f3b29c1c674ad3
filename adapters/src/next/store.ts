import { deserialize, serialize } from "node:v8";
import type { Redis } from "warmline";
import { checkArguments, checkTtl } from "../check-arguments.js";
import { TagTimes } from "./tag-times.js";

/** Options of the cache handlers. */
export interface NextCacheOptions {
  /**
   * The client, with any codec. A short `timeout` is advisable: while Redis can't be reached, pages are rendered without the cache.
   */
  readonly redis: Redis;
  /** Prefix of every key in Redis. Give both handlers of an application the same. Default: `next:`. */
  readonly prefix?: string | undefined;
  /** Maximum lifetime of an entry in seconds. Default: 2,592,000, 30 days. */
  readonly ttl?: number | undefined;
  /** Called with each error of reading or writing an entry. Default: the message is printed on stderr. */
  readonly onError?: (error: unknown) => void;
}

/** The entries of a cache, and the tags of all caches with the same prefix. */
export class Store {
  readonly tags: TagTimes;
  readonly #bytes: Redis<Uint8Array>;
  readonly #prefix: string;
  readonly #ttl: number;
  readonly #onError: (error: unknown) => void;

  constructor(options: NextCacheOptions) {
    const { redis, prefix = "next:", ttl = 2_592_000, onError = printError } = options;
    checkArguments(redis, options, "redis", "prefix", "ttl", "onError");
    checkTtl(ttl);
    // Writing an entry or a tag twice is the same as once.
    const client = redis.with({ writes: "at-least-once", codec: "json" });
    this.tags = new TagTimes(client, `${prefix}tags`);
    this.#bytes = client.with({ codec: "bytes" });
    this.#prefix = prefix;
    this.#ttl = ttl;
    this.#onError = onError;
  }

  /** Returns the result of `read` for the entry, or undefined if there is no entry or it can't be read. */
  async read<E, T>(key: string, read: (entry: E) => Promise<T | undefined>): Promise<T | undefined> {
    return this.#reporting(async () => {
      const bytes = await this.#bytes.get<Uint8Array>(this.#prefix + key);
      return bytes ? read(deserialize(bytes) as E) : undefined;
    });
  }

  /**
   * Stores the entry that `create` returns.
   * @param seconds maximum lifetime. Default: the option `ttl`
   */
  async write<E>(key: string, create: () => Promise<E>, seconds = this.#ttl): Promise<void> {
    await this.#reporting(async () => {
      const ex = Math.max(1, Math.ceil(Math.min(seconds, this.#ttl)));
      await this.#bytes.set(this.#prefix + key, new Uint8Array(serialize(await create())), { ex });
    });
  }

  /** Removes an entry. */
  async remove(key: string): Promise<void> {
    await this.#reporting(() => this.#bytes.unlink(this.#prefix + key));
  }

  async #reporting<T>(run: () => Promise<T>): Promise<T | undefined> {
    try {
      return await run();
    } catch (error) {
      this.#onError(error);
      return undefined;
    }
  }
}

function printError(error: unknown): void {
  console.error(`warmline-adapters/next: ${(error as Error).message}`);
}

/** Whether this process is part of `next build`, which usually has no Redis. */
export function isBuilding(): boolean {
  return process.env.NEXT_PHASE === "phase-production-build";
}

/**
 * A store for Keyv, and so for cache-manager.
 *
 * @module warmline-adapters/keyv
 */
import type { Redis } from "warmline";
import { checkArguments } from "./check-arguments.js";
import { pagesOfKeys, removeKeys } from "./remove-keys.js";

/** Options of {@link KeyvStore}. */
export interface KeyvStoreOptions {
  /** Prefix of every key in Redis. `clear()` removes only keys with it. Default: `keyv:`. */
  readonly prefix?: string | undefined;
}

type ErrorListener = (error: unknown) => void;

/** Maximum time to live in ms. A key with a longer one does not expire: Redis refuses much longer times. */
const MAX_TTL = 1e15;

/** Number of keys that one SCAN looks at, and one MGET reads. */
const BATCH = 200;

/**
 * A store for `new Keyv({ store: new KeyvStore(redis) })`, of Keyv 5 and later. After a failed read or write, the Keyv emits `error`.
 * Its `get` of one key then returns no value, and `set` and `delete` return false, or they throw with `throwOnErrors`. Reads of
 * several keys, `has`, and the iterator reject in any case: Keyv passes on the errors of its store.
 */
export class KeyvStore {
  /** Keyv iterates over the stores of this dialect. */
  readonly opts = { dialect: "redis" };
  readonly #redis: Redis;
  /** Values are text that Keyv serialized. */
  readonly #texts: Redis<string>;
  readonly #prefix: string;
  readonly #listeners: ErrorListener[] = [];
  /** Null until a Keyv sets it. */
  #namespace: string | undefined | null = null;

  /** @param redis the client. A write whose response is lost is sent again, since it is the same value. */
  constructor(redis: Redis, options: KeyvStoreOptions = {}) {
    checkArguments(redis, options, "prefix");
    const { prefix = "keyv:" } = options;
    this.#redis = redis.with({ writes: "at-least-once" });
    this.#texts = this.#redis.with({ codec: "text" });
    this.#prefix = prefix;
  }

  /** The namespace. The Keyv sets it. */
  get namespace(): string | undefined {
    return this.#namespace ?? undefined;
  }

  /** @throws {TypeError} if it differs from the previous one: a second Keyv would clear the keys of the first one. */
  set namespace(namespace: string | undefined) {
    if (this.#namespace !== null && this.#namespace !== namespace)
      throw new TypeError("KeyvStore: create one store for each namespace; this one belongs to another Keyv");
    this.#namespace = namespace;
  }

  /** Calls `listener` with each error of Redis. Other events do not occur. */
  on(event: string, listener: ErrorListener): this {
    if (event === "error") this.#listeners.push(listener);
    return this;
  }

  /** Returns the value, or undefined if the key does not exist. */
  async get(key: string): Promise<string | undefined> {
    return (await this.#reporting(this.#texts.get<string>(this.#prefix + key))) ?? undefined;
  }

  /** Returns the values in the order of the keys, with undefined for missing keys. */
  async getMany(keys: string[]): Promise<(string | undefined)[]> {
    if (keys.length === 0) return [];
    const values = await this.#reporting(
      this.#texts.mget<(string | null)[]>(keys.map((key) => this.#prefix + key)),
    );
    return values.map((value) => value ?? undefined);
  }

  /**
   * Sets the value.
   * @param ttl time to live in ms. Default Infinity
   * @throws {TypeError} if the value is not text, or `ttl` is not a number
   */
  async set(key: string, value: unknown, ttl?: number): Promise<void> {
    await this.#reporting(this.#texts.set(this.#prefix + key, assertText(value), lifetime(ttl)));
  }

  /** Sets several values. They are sent in one request. Returns true for each: Keyv passes that on, against its type of a store. */
  async setMany(entries: { key: string; value: unknown; ttl?: number }[]): Promise<any> {
    if (entries.length === 0) return [];
    const pipeline = this.#texts.pipeline();
    for (const { key, value, ttl } of entries)
      pipeline.set(this.#prefix + key, assertText(value), lifetime(ttl));
    await this.#reporting(pipeline.exec());
    return entries.map(() => true);
  }

  /** Removes the key. Returns whether it existed. */
  async delete(key: string): Promise<boolean> {
    return (await this.#reporting(this.#redis.unlink(this.#prefix + key))) > 0;
  }

  /** Removes the keys. Returns whether one of them existed. */
  async deleteMany(keys: string[]): Promise<boolean> {
    if (keys.length === 0) return false;
    return (await this.#reporting(this.#redis.unlink(...keys.map((key) => this.#prefix + key)))) > 0;
  }

  /** Returns whether the key exists. */
  async has(key: string): Promise<boolean> {
    return (await this.#reporting(this.#redis.exists(this.#prefix + key))) > 0;
  }

  /** Returns whether each key exists. */
  async hasMany(keys: string[]): Promise<boolean[]> {
    if (keys.length === 0) return [];
    const pipeline = this.#redis.pipeline();
    for (const key of keys) pipeline.exists(this.#prefix + key);
    return (await this.#reporting(pipeline.exec<number[]>())).map((count) => count > 0);
  }

  /** Removes every key of the namespace, or of the prefix if there is no namespace. */
  async clear(): Promise<void> {
    await this.#reporting(removeKeys(this.#redis, this.#startOf(this.namespace)));
  }

  /** Iterates over the keys of a namespace and their values. */
  async *iterator(
    namespace: string | undefined = this.namespace,
  ): AsyncGenerator<[key: string, value: string], void> {
    const pages = pagesOfKeys(this.#redis, this.#startOf(namespace), BATCH);
    for (;;) {
      const page = await this.#reporting(pages.next());
      if (page.done) return;
      const keys = page.value.map((key) => key.slice(this.#prefix.length));
      const values = await this.getMany(keys);
      for (const [at, key] of keys.entries()) {
        const value = values[at];
        if (value !== undefined) yield [key, value];
      }
    }
  }

  /** Returns the beginning of the keys of a namespace. */
  #startOf(namespace: string | undefined): string {
    return namespace ? `${this.#prefix}${namespace}:` : this.#prefix;
  }

  /** Passes errors to the listeners: Keyv swallows rejected reads, but emits the errors that its store emits. */
  async #reporting<T>(reply: Promise<T>): Promise<T> {
    try {
      return await reply;
    } catch (error) {
      for (const listener of this.#listeners) listener(error);
      throw error;
    }
  }
}

function lifetime(ttl: number | undefined): { px: number } | undefined {
  if (ttl === undefined) return undefined;
  if (typeof ttl !== "number" || Number.isNaN(ttl)) throw new TypeError("ttl must be a number of ms");
  return ttl > MAX_TTL ? undefined : { px: Math.max(1, Math.ceil(ttl)) };
}

function assertText(value: unknown): string {
  if (typeof value === "string") return value;
  throw new TypeError("KeyvStore stores text: leave serialize and deserialize of Keyv on");
}

/**
 * A store for express-session.
 *
 * @module warmline-adapters/express-session
 */
import session from "express-session";
import type { Redis } from "warmline";
import { checkArguments, checkTtl } from "./check-arguments.js";
import { pagesOfKeys, removeKeys } from "./remove-keys.js";

/** Options of {@link SessionStore}. */
export interface SessionStoreOptions {
  /** Prefix of the keys in Redis. Default: `session:`. */
  readonly prefix?: string | undefined;
  /** Lifetime in seconds of a session whose cookie has none. Default: 86,400, a day. */
  readonly ttl?: number | undefined;
}

type Callback<T = unknown> = (error: unknown, value?: T) => void;

/**
 * A store for `session({ store: new SessionStore(redis) })`. A session is one key, which lives as long as its cookie.
 * Two requests that change one session at the same time overwrite each other, as with any store of express-session.
 */
export class SessionStore extends session.Store {
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #ttl: number;

  /** @param redis the client, with any codec. A write whose response is lost is sent again: a second time changes nothing more. */
  constructor(redis: Redis, options: SessionStoreOptions = {}) {
    super();
    checkArguments(redis, options, "prefix", "ttl");
    const { prefix = "session:", ttl = 86_400 } = options;
    checkTtl(ttl);
    this.#redis = redis.with({ writes: "at-least-once", codec: "json" });
    this.#prefix = prefix;
    this.#ttl = ttl;
  }

  /** Passes the session, or null if it does not exist, to `done`. */
  get(id: string, done: Callback<session.SessionData | null>): void {
    settle(this.#redis.get<session.SessionData>(this.#prefix + id), done);
  }

  /** Stores the session for the lifetime of its cookie. A session whose cookie has expired is removed. */
  set(id: string, data: session.SessionData, done?: Callback): void {
    const px = this.#lifetime(data);
    const key = this.#prefix + id;
    settle(px > 0 ? this.#redis.set(key, data, { px }) : this.#redis.unlink(key), done);
  }

  /** Extends the session's lifetime to that of its cookie. */
  override touch(id: string, data: session.SessionData, done?: Callback): void {
    const px = this.#lifetime(data);
    const key = this.#prefix + id;
    settle(px > 0 ? this.#redis.pexpire(key, px) : this.#redis.unlink(key), done);
  }

  /** Removes the session. */
  destroy(id: string, done?: Callback): void {
    settle(this.#redis.unlink(this.#prefix + id), done);
  }

  /** Passes the number of sessions to `done`. Scans all keys of the Redis. */
  override length(done: Callback<number>): void {
    settle(this.#count(), done);
  }

  /** Removes every session. Scans all keys of the Redis. */
  override clear(done?: Callback): void {
    settle(removeKeys(this.#redis, this.#prefix), done);
  }

  async #count(): Promise<number> {
    const ids = new Set<string>();
    for await (const keys of pagesOfKeys(this.#redis, this.#prefix, 500))
      for (const key of keys) ids.add(key);
    return ids.size;
  }

  /** Returns the remaining lifetime of the cookie in whole ms. */
  #lifetime({ cookie }: session.SessionData): number {
    const { expires } = cookie;
    return expires ? new Date(expires).getTime() - Date.now() : Math.ceil(this.#ttl * 1_000);
  }
}

function settle<T>(reply: Promise<T>, done: Callback<T> = () => {}): void {
  reply.then((value) => done(null, value), done);
}

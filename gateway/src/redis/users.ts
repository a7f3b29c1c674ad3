import type { Duplex } from "node:stream";
import type { RedisUser, Upstream } from "./upstream.js";

/** Time in ms for which an unused user's upstream is kept. It is short, since there may be many users. */
export const USER_IDLE = 60_000;
/** Users that are known at a time. */
export const MAX_USERS = 1_000;

/** Counts a connection for as long as it is open. */
export type Counted = <T extends Duplex>(connection: T) => T;

/** The upstream of one user, and its use. */
interface Entry {
  readonly upstream: Upstream;
  /** Connections open now, of whatever use. */
  open: number;
  usedAt: number;
}

/**
 * The upstreams of Redis users. One that was not used for a minute and has no connection is forgotten; beyond the bound
 * so is the one that was used longest ago, which lasts as long as something is under way.
 */
export class Users {
  readonly #make: (user: RedisUser, counted: Counted) => Upstream;
  readonly #entries = new Map<string, Entry>();
  /** Forgotten, but not over. */
  readonly #leaving = new Set<Entry>();
  readonly #keys = new WeakMap<RedisUser, string>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(make: (user: RedisUser, counted: Counted) => Upstream) {
    this.#make = make;
  }

  /** Every upstream that is not over. */
  *[Symbol.iterator](): Iterator<Upstream> {
    for (const { upstream } of this.#entries.values()) yield upstream;
    for (const { upstream } of this.#leaving) yield upstream;
  }

  /** The upstream of a user, to be used now: it may be another one later. */
  of(user: RedisUser): Upstream {
    const key = this.#keyOf(user);
    let entry = this.#entries.get(key);
    if (!entry) {
      if (this.#entries.size >= MAX_USERS) this.#forgetOldest();
      entry = this.#add(user);
      this.#entries.set(key, entry);
      this.#timer ??= setInterval(() => this.#sweep(), USER_IDLE).unref();
    }
    entry.usedAt = performance.now();
    return entry.upstream;
  }

  close(): void {
    this.#closed = true;
    clearInterval(this.#timer);
    for (const upstream of this) upstream.close();
  }

  #add(user: RedisUser): Entry {
    const counted: Counted = (connection) => {
      entry.open++;
      connection.once("close", () => {
        entry.open--;
      });
      return connection;
    };
    const entry: Entry = { upstream: this.#make(user, counted), open: 0, usedAt: 0 };
    if (this.#closed) entry.upstream.close();
    return entry;
  }

  /** A user that changed its password is another one: connections stay signed in as they were made. */
  #keyOf(user: RedisUser): string {
    let key = this.#keys.get(user);
    if (key === undefined) {
      key = JSON.stringify([user.username, user.password]);
      this.#keys.set(user, key);
    }
    return key;
  }

  #forgetOldest(): void {
    let oldest: [string, Entry] | undefined;
    for (const each of this.#entries) if (!oldest || each[1].usedAt < oldest[1].usedAt) oldest = each;
    const [key, entry] = oldest!;
    this.#entries.delete(key);
    if (isOver(entry)) entry.upstream.close();
    else this.#leaving.add(entry);
  }

  #sweep(): void {
    const idleSince = performance.now() - USER_IDLE;
    for (const [key, entry] of this.#entries) {
      if (entry.usedAt > idleSince || !isOver(entry)) continue;
      this.#entries.delete(key);
      entry.upstream.close();
    }
    for (const entry of this.#leaving) {
      if (!isOver(entry)) continue;
      this.#leaving.delete(entry);
      entry.upstream.close();
    }
    if (this.#entries.size + this.#leaving.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function isOver({ upstream, open }: Entry): boolean {
  return open === 0 && upstream.pending === 0;
}

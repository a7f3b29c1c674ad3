import type { Duplex } from "node:stream";
import type { RedisUser, Upstream } from "./upstream.js";

/** Least time in ms for which an unused user's upstream is kept. */
export const USER_IDLE = 60_000;

/** Counts a connection for as long as it is open. */
export type Counted = <T extends Duplex>(connection: T) => T;

/** The upstream of one user, and its use. */
interface Entry {
  readonly upstream: Upstream;
  /** Connections open now, for any use. */
  open: number;
  usedAt: number;
}

/** The upstreams of Redis users. One that was not used for a minute, and has no open connection, is closed and forgotten. */
export class Users {
  readonly #entries = new Map<string, Entry>();
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(private readonly make: (user: RedisUser, counted: Counted) => Upstream) {}

  *[Symbol.iterator](): Iterator<Upstream> {
    for (const { upstream } of this.#entries.values()) yield upstream;
  }

  /** The upstream of a user, to be used now: it may be another one later. */
  of(user: RedisUser): Upstream {
    // A user that changed its password is another one: connections stay signed in as they were made.
    const key = JSON.stringify([user.username, user.password]);
    let entry = this.#entries.get(key);
    if (!entry) {
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
    const entry: Entry = { upstream: this.make(user, counted), open: 0, usedAt: 0 };
    if (this.#closed) entry.upstream.close();
    return entry;
  }

  #sweep(): void {
    const idleSince = performance.now() - USER_IDLE;
    for (const [key, entry] of this.#entries) {
      if (entry.usedAt > idleSince || entry.open > 0 || entry.upstream.pending > 0) continue;
      this.#entries.delete(key);
      entry.upstream.close();
    }
    if (this.#entries.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

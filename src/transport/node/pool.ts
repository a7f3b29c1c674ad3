import { type Clock, systemClock } from "../../util/clock.js";
import { toServer } from "../../util/server-address.js";
import { afterTwoPolls } from "../../util/timers.js";
import { type ConnectionStats, createStats } from "../transport.js";
import { PoolBatchLimiter } from "./batch-limiter.js";
import { Circuit, type CircuitHost, type CircuitOpen } from "./circuit.js";
import { type CloseReason, Connection, type ConnectionListener, OPENING_LIMIT } from "./connection.js";
import { publish } from "./events.js";
import { Hedging } from "./hedging.js";
import type { Network } from "./network.js";
import type { Origin } from "./origin.js";
import { ThawWatch } from "./thaw.js";

/** Time in ms after which a connection that is still opening counts as hanging, and another one is opened. */
const HANGS_AFTER = 1_000;

/** Interval in ms of the check whether connections that are opening hang. */
const CHECK_INTERVAL = 250;

/** Idle time in ms after which a connection may be dead without an event on its socket. */
const SUSPECT_AFTER = 1_000;

/** Timeout of pre-opening a connection, in ms. */
export const PRECONNECT_LIMIT = 1_000;

/** A request that waits for a connection. One of the callbacks is called, once, unless the wait is cancelled. */
export interface Waiter {
  /** Whether the wait fails as soon as the circuit opens. */
  readonly heedsCircuit: boolean;
  /** Maximum number of connections while it waits. Includes its own, excludes those that hang while opening. */
  readonly limit: number;
  onConnection(connection: Connection): void;
  onFailure(cause: Error): void;
}

/** The connections to one origin, shared by every client of this thread. */
export class Pool implements ConnectionListener, CircuitHost {
  readonly stats: ConnectionStats = createStats();
  readonly origin: Origin;
  readonly circuit = new Circuit(this);
  readonly hedging: Hedging;
  readonly batchLimiter = new PoolBatchLimiter();
  openTook = 0;
  /** Most recently used last. */
  readonly #idle: Connection[] = [];
  readonly #opening = new Set<Connection>();
  readonly #all = new Set<Connection>();
  /** In the order of arrival. */
  readonly #waiting = new Set<Waiter>();
  /** The timer of `#checkOpening`, which runs while there are waiters or connections that are opening. */
  #openingCheck: NodeJS.Timeout | undefined;
  readonly #whenOpened: (() => void)[] = [];
  /** The circuit's probe connection. It is in none of the sets above. */
  #checking: Connection | undefined;
  readonly #thawWatch: ThawWatch;

  constructor(
    url: string,
    network?: Network,
    readonly clock: Clock = systemClock,
  ) {
    this.origin = { url, network, ...toServer(new URL(url)) };
    this.hedging = new Hedging(clock);
    this.#thawWatch = new ThawWatch(
      () => this.#idle.length > 0 || this.circuit.isRefusing,
      (ms) => this.#onThaw(ms),
      clock,
    );
  }

  /** Returns the most recently used idle connection that is not known to be dead. The caller has it until `giveBack`. */
  takeIdle(): Connection | undefined {
    for (let connection = this.#idle.pop(); connection; connection = this.#idle.pop()) {
      if (connection.usable) return connection;
    }
    return undefined;
  }

  /** Whether the pool has no connection and no waiting request, and refuses no calls. */
  get isUnused(): boolean {
    return this.#all.size === 0 && this.#waiting.size === 0 && !this.circuit.isRefusing;
  }

  /** Whether a connection that has been idle for `idle` ms may be dead without an event on its socket. */
  isSuspect(connection: Connection, idle: number): boolean {
    // A slow handshake may have been interrupted by a freeze.
    const openedSlowly = connection.requests === 0 && connection.openTook > SUSPECT_AFTER;
    return idle > SUSPECT_AFTER || openedSlowly || this.#thawWatch.thawedAt > connection.since.monotonic;
  }

  /** Whether the connection that the next command would take may be dead. */
  get nextIsSuspect(): boolean {
    const next = this.#idle.at(-1);
    return next !== undefined && this.isSuspect(next, next.idle);
  }

  /** Hands the waiter the next connection that is opened or given back. @returns a function that cancels the wait. */
  wait(waiter: Waiter): () => void {
    this.#waiting.add(waiter);
    if (!this.#openingCheck) {
      // After a freeze connections may be open although they seem to hang: their events are read first.
      const check = () => afterTwoPolls(() => this.#checkOpening());
      this.#openingCheck = this.clock.setInterval(check, CHECK_INTERVAL);
      this.#openingCheck.unref();
    }
    this.#openIfNeeded(waiter.limit);
    return () => void this.#waiting.delete(waiter);
  }

  /** Takes back a connection that has no response outstanding. */
  giveBack(connection: Connection): void {
    if (!connection.usable) return;
    const waiter = this.#takeWaiter();
    if (waiter) {
      waiter.onConnection(connection);
    } else {
      this.#idle.push(connection);
      this.#thawWatch.start();
    }
  }

  /** Opens a connection if there is none. Settles once it is open, has failed, or has taken a second. */
  preconnect(): Promise<void> {
    if (this.#all.size > 0 && this.#opening.size === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const opened = this.#opening.size > 0 ? undefined : this.#openOne();
      const limit = this.clock.setTimeout(() => {
        // After a freeze the timer is late, and the connection may be open.
        afterTwoPolls(() => {
          if (opened && this.#opening.has(opened) && this.#waiting.size === 0)
            opened.destroy("connect-failed");
          resolve();
        });
      }, PRECONNECT_LIMIT);
      this.#whenOpened.push(() => {
        this.clock.clear(limit);
        resolve();
      });
    });
  }

  /** Closes every connection that carries no request. */
  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy("closed-by-client");
    if (this.#waiting.size === 0)
      for (const connection of [...this.#opening]) connection.destroy("closed-by-client");
    this.circuit.close();
    if (!this.circuit.isRefusing) this.#thawWatch.stop();
  }

  openForCheck(): Connection {
    this.#checking = new Connection(this.origin, this);
    return this.#checking;
  }

  adopt(connection: Connection, maxConnections: number): void {
    this.#checking = undefined;
    if (this.#all.size >= maxConnections) connection.destroy("closed-by-client");
    else if (connection.usable) {
      this.#all.add(connection);
      this.giveBack(connection);
    }
  }

  failWaiting(cause: CircuitOpen): void {
    for (const waiter of [...this.#waiting].filter(({ heedsCircuit }) => heedsCircuit)) {
      this.#waiting.delete(waiter);
      waiter.onFailure(cause);
    }
  }

  watchThaws(): void {
    this.#thawWatch.start();
    this.#thawWatch.look();
  }

  /** A response has arrived on a connection, whatever its status. */
  onResponse({ since }: Connection): void {
    const { circuit } = this;
    circuit.respondedAt = since;
    if (circuit.alarmed) circuit.onResponse();
  }

  onOpen(connection: Connection): void {
    this.stats.opened++;
    this.openTook = connection.openTook;
    this.#opening.delete(connection);
    publish("connection:opened", this.origin.url, () => ({ ms: connection.openTook, open: this.#open }));
    if (connection === this.#checking) {
      this.circuit.onConnected(connection);
      return;
    }
    this.giveBack(connection);
    this.#notifyOpened();
  }

  /** A request is about to be written on a connection that has carried one before. */
  onReuse(connection: Connection): void {
    this.stats.reused++;
    publish("connection:reused", this.origin.url, () => carriedBy(connection));
  }

  onClosed(connection: Connection, reason: CloseReason, cause: Error | undefined): void {
    this.#all.delete(connection);
    this.circuit.onDisconnected(connection, connection.open ? undefined : cause);
    if (connection === this.#checking) {
      this.#checking = undefined;
      if (connection.open) this.stats.closed++;
    } else if (this.#opening.delete(connection)) {
      if (reason !== "closed-by-client") this.#takeWaiter()?.onFailure(cause ?? new Error(reason));
      this.#notifyOpened();
    } else {
      this.stats.closed++;
    }
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    // The first waiter may have waited for this connection: open a new one.
    const [next] = this.#waiting;
    if (next) this.#openIfNeeded(next.limit);
    publish("connection:closed", this.origin.url, () => ({
      reason,
      ...carriedBy(connection),
      open: this.#open,
    }));
  }

  #onThaw(ms: number): void {
    this.stats.thaws++;
    this.circuit.onThaw();
    publish("thaw", this.origin.url, () => ({ frozenMs: ms, idle: this.#idle.length }));
  }

  /** Number of established connections. */
  get #open(): number {
    return this.#all.size - this.#opening.size + Number(this.#checking?.open ?? 0);
  }

  #takeWaiter(): Waiter | undefined {
    const [waiter] = this.#waiting;
    if (waiter) this.#waiting.delete(waiter);
    return waiter;
  }

  #notifyOpened(): void {
    for (const notify of this.#whenOpened.splice(0)) notify();
  }

  #checkOpening(): void {
    for (const { limit } of this.#waiting) this.#openIfNeeded(limit);
    if (this.#waiting.size > 0) return;
    for (const connection of [...this.#opening]) {
      if (connection.idle >= OPENING_LIMIT) connection.destroy("closed-by-client");
    }
    if (this.#opening.size > 0) return;
    this.clock.clear(this.#openingCheck);
    this.#openingCheck = undefined;
  }

  /** Opens a connection if there are more waiters than opening connections. Hanging ones do not count. */
  #openIfNeeded(limit: number): void {
    const hanging = [...this.#opening].filter((connection) => connection.idle >= HANGS_AFTER);
    if (this.#opening.size - hanging.length >= this.#waiting.size) return;
    if (this.#all.size - hanging.length >= limit) return;
    // A hanging attempt may still succeed, but the oldest is closed at the limit. `onClosed` then opens its replacement.
    if (hanging.length >= limit) hanging[0]!.destroy("closed-by-client");
    else this.#openOne();
  }

  #openOne(): Connection {
    const connection = new Connection(this.origin, this);
    this.#all.add(connection);
    this.#opening.add(connection);
    return connection;
  }
}

const carriedBy = ({ requests, idle }: Connection) => ({ requests, idleMs: idle });

/** If there are this many pools or more, the unused ones are dropped before another one is created. */
const MAX_POOLS = 100;

/** Copies of this package share pools if they agree on this version of their structure. */
const POOLS = Symbol.for("warmline.pools.1");

/**
 * Returns the pool of an origin. All code of the thread shares it, so that a client created in each invocation finds its
 * connections. Connections that are not kept have another pool, so that a request for a new connection never gets a kept one.
 */
export function getPool(url: string, keepAlive: boolean, network?: Network): Pool {
  const shared = globalThis as { [POOLS]?: Map<string, Pool> };
  shared[POOLS] ??= new Map();
  const pools = shared[POOLS];
  const key = `${url}${keepAlive ? "" : " not kept"}${network ? ` ${network.key}` : ""}`;
  let pool = pools.get(key);
  if (!pool) {
    // A client of a dropped pool goes on using it.
    if (pools.size >= MAX_POOLS) {
      // Closed, because the last check of an outage leaves its connection open.
      for (const [each, old] of pools) if (old.isUnused && pools.delete(each)) old.closeIdle();
    }
    pool = new Pool(url, network);
    pools.set(key, pool);
  }
  return pool;
}

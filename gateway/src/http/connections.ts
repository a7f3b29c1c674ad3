import type { Connection } from "./connection.js";
import { IdleList } from "./idle-list.js";

/** How often connections are looked at, in ms. */
const SWEEP_EVERY = 5_000;

/** How long clients may take, in ms. */
export interface ConnectionLimits {
  /** A connection without a request in flight is closed after this long. */
  readonly idle: number;
  /** A request's head must be complete this long after its first byte. */
  readonly head: number;
  /** A request's body must be complete this long after its head; of an answer, some must be taken within it. */
  readonly body: number;
}

/**
 * The client connections that are open. An idle one has time until `idle`, however long it was there ahead of its first
 * request; only a request that began is hurried.
 */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #open = new Set<Connection>();
  readonly #idle = new IdleList<Connection>();
  readonly #timer: NodeJS.Timeout;
  /** Connections accepted since the start. */
  opened = 0;

  constructor(limits: ConnectionLimits) {
    this.#limits = limits;
    const every = Math.min(SWEEP_EVERY, limits.idle / 4, limits.head / 4, limits.body / 4);
    this.#timer = setInterval(() => this.#sweep(), every).unref();
  }

  /** Connections open now. */
  get open(): number {
    return this.#open.size;
  }

  /** Those without a request. */
  get idle(): number {
    return this.#idle.size;
  }

  /** Follows a new connection. */
  add(connection: Connection): void {
    this.opened++;
    this.#open.add(connection);
    this.#idle.add(connection);
  }

  /** A request has begun. */
  setBusy(connection: Connection): void {
    this.#idle.remove(connection);
  }

  /** A request has been answered. */
  setIdle(connection: Connection): void {
    this.#idle.add(connection);
  }

  /** The connection has closed. */
  remove(connection: Connection): void {
    this.#idle.remove(connection);
    this.#open.delete(connection);
  }

  /** Ends those that are idle. */
  endIdle(): void {
    for (let next = this.#idle.oldest; next; next = this.#idle.oldest) {
      this.#idle.remove(next);
      next.end();
    }
  }

  /** Ends all, whatever they are doing. */
  destroyAll(): void {
    for (const connection of this.#open) connection.destroy();
  }

  /** Stops looking after connections. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#open) if (this.#isLate(connection, now)) connection.destroy();
  }

  #isLate(connection: Connection, now: number): boolean {
    const { idle, head, body } = this.#limits;
    if (connection.lateSince > 0) {
      return now - connection.lateSince > (connection.isReadingBody ? body : head);
    }
    if (connection.backlog > 0 && !connection.isStreaming) return !connection.progresses(now, body);
    return !connection.isBusy && now - connection.idleSince > idle;
  }
}

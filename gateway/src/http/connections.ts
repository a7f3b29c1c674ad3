import type { BufferBudget } from "../util/buffer-budget.js";
import type { Connection } from "./connection.js";

/** Interval in ms between checks of the connections. */
const SWEEP_INTERVAL = 5_000;
/** A connection idle for less than this, in ms, is not closed to make room: its next request may be on its way. */
const MIN_IDLE_TO_EVICT = 1_000;
/** Timeout in ms for progress of a body or a response while memory is short. */
const SHORT_TIMEOUT = 5_000;
/** Timeout in ms for the request of a connection that is refused. */
const REFUSED_TIMEOUT = 1_000;
/** Maximum number of connections being refused at a time. More are closed without a response. */
const MAX_REFUSED = 256;

/** Timeouts of clients, in ms, and the limits on their number. */
export interface ConnectionLimits {
  /** A connection without a request in flight is closed after this long. */
  readonly idle: number;
  /** A request's head must be complete this long after its first byte. */
  readonly head: number;
  /** A request's body must be complete this long after its head. A client must read some of a response at least this often. */
  readonly body: number;
  /** Above this many connections, each new one closes the one that has been idle for longest. */
  readonly soft: number;
  /** Above this many, new ones are refused. */
  readonly hard: number;
  /** While its memory is short, clients that make no progress have less time. */
  readonly budget: BufferBudget;
}

/**
 * The client connections. An idle one is closed after `idle` ms, also before its first request. Only a request that has begun
 * has shorter timeouts. Up to `softMaxConnections` all are accepted. Above it, each new one closes the one that has been idle
 * for longest, never one with a request. At `maxConnections`, new ones are refused.
 */
export class Connections {
  readonly #open = new Set<Connection>();
  /** Connections without a request. The one that has been idle for longest comes first. */
  readonly #idle = new Set<Connection>();
  readonly #refused = new Set<Connection>();
  #arrived: Connection[] = [];
  #closing = false;
  readonly #timer: NodeJS.Timeout;
  /** Connections accepted since the start, including those refused afterwards. */
  opened = 0;
  /** Idle connections closed to make room. */
  evicted = 0;
  /** Connections for which there was no room. */
  refusedTotal = 0;

  constructor(readonly limits: ConnectionLimits) {
    const every = Math.min(SWEEP_INTERVAL, limits.idle / 4, limits.head / 4, limits.body / 4);
    this.#timer = setInterval(() => this.#sweep(), every).unref();
  }

  /** Connections open now, without those that are being refused. */
  get open(): number {
    return this.#open.size + this.#arrived.length;
  }

  /** The number of connections without a request. */
  get idle(): number {
    return this.#idle.size;
  }

  get refused(): number {
    return this.#refused.size;
  }

  /** Number of connections that can still be accepted, including those that would only be refused with a response. */
  get room(): number {
    const refusable = Math.max(0, MAX_REFUSED - this.#refused.size);
    return Math.max(0, this.limits.hard - this.#open.size) + refusable - this.#arrived.length;
  }

  /**
   * Follows a new connection. Whether there is room for it is decided before its first byte is read, unless that came
   * together with the end of its TLS handshake.
   */
  add(connection: Connection): void {
    this.opened++;
    // After the poll phase: by then every request that was readable in this iteration has been read, and its connection is not idle.
    if (this.#arrived.push(connection) === 1) setImmediate(() => this.#admit());
  }

  setBusy(connection: Connection): void {
    this.#idle.delete(connection);
  }

  /** Records that a response is complete. */
  setIdle(connection: Connection): void {
    this.#idle.delete(connection);
    if (this.#closing) connection.end();
    else this.#idle.add(connection);
  }

  remove(connection: Connection): void {
    this.#idle.delete(connection);
    this.#open.delete(connection);
    this.#refused.delete(connection);
  }

  /** Ends idle connections, and from now on each one that becomes idle. */
  endIdle(): void {
    this.#closing = true;
    const idle = [...this.#idle];
    this.#idle.clear();
    for (const connection of idle) connection.end();
  }

  /** Closes every connection immediately, even during a request. */
  destroyAll(): void {
    for (const connection of this.#all) connection.destroy();
  }

  /** Closes every connection immediately, unless its request is being processed. */
  destroyUnprocessed(): void {
    for (const connection of this.#all) if (!connection.isProcessing) connection.destroy();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  get #all(): readonly Connection[] {
    return [...this.#open, ...this.#refused, ...this.#arrived];
  }

  #admit(): void {
    const arrived = this.#arrived.filter((connection) => !connection.isClosed);
    this.#arrived = [];
    const { soft, hard } = this.limits;
    for (const connection of arrived) {
      while (this.#open.size >= soft && this.#evict());
      if (this.#open.size >= hard) this.#refuse(connection);
      else {
        this.#open.add(connection);
        if (!connection.isBusy) this.setIdle(connection);
      }
    }
  }

  /** Closes the connection that has been idle for longest, if it has been for long enough. */
  #evict(): boolean {
    const now = performance.now();
    for (const oldest of this.#idle) {
      if (now - oldest.idleSince < MIN_IDLE_TO_EVICT) return false;
      if (oldest.backlog === 0) {
        this.remove(oldest);
        this.evicted++;
        oldest.destroy();
        return true;
      }
      // The last bytes of its response have not left yet: it counts as idle from now on.
      oldest.idleSince = now;
      this.setIdle(oldest);
    }
    return false;
  }

  /** Refuses a connection by the response to its first request: a client does not accept a response before its request. */
  #refuse(connection: Connection): void {
    this.refusedTotal++;
    this.#idle.delete(connection);
    this.#refused.add(connection);
    connection.refused = true;
    setTimeout(() => {
      if (!connection.isBusy || connection.waitingSince > 0) connection.end();
    }, REFUSED_TIMEOUT).unref();
  }

  #sweep(): void {
    const now = performance.now();
    for (const connection of this.#open) {
      if (this.#isOverdue(connection, now)) connection.destroy();
      // A backlog below the high-water mark is counted only here, so the common case costs nothing.
      else if (!connection.isStreaming) connection.sender.countBacklog();
    }
    for (const connection of this.#refused) if (this.#isOverdue(connection, now)) connection.destroy();
  }

  #isOverdue(connection: Connection, now: number): boolean {
    const { idle, head, body, budget } = this.limits;
    const timeout = budget.isShort ? Math.min(body, SHORT_TIMEOUT) : body;
    if (connection.waitingSince > 0) {
      if (connection.isReadingBody && now - connection.bodyAt > timeout) return true;
      return now - connection.waitingSince > (connection.isReadingBody ? body : head);
    }
    if (connection.backlog > 0 && (budget.isShort || !connection.isStreaming))
      return !connection.sender.progresses(now, timeout);
    return !connection.isBusy && now - connection.idleSince > idle;
  }
}

import type { Clock, Moment } from "../../util/clock.js";
import { afterTwoPolls } from "../../util/timers.js";
import type { CircuitState, ConnectionStats } from "../transport.js";
import { CircuitOpen } from "./circuit-open.js";
import type { Connection } from "./connection.js";
import { events } from "./events.js";
import type { CircuitSettings, NodeTransportOptions } from "./transport-options.js";

/** Interval in ms at which a check looks for the response to its PING, and opens a connection where it has none. */
const TICK = 50;

/** Delay of a tick in ms above which the process counts as frozen meanwhile. */
const LATE = 1_000;

/** A response this recent, in ms, shows that a call without a response waits for its command alone. */
const RECENT = 250;

/** A check lasts at least so many times as long as the last connection took to open. */
const HANDSHAKES = 4;

/** Maximum of the doubled time in ms for which the circuit stays open. */
const MAX_RESET_TIMEOUT = 30_000;

/** An attempt that the circuit holds up. One of the two is called, once, unless it is withdrawn. */
export interface CircuitWaiter {
  onClosed(): void;
  onOpen(cause: CircuitOpen): void;
}

/** The parts of a pool that its circuit needs. */
export interface CircuitHost {
  readonly clock: Clock;
  readonly stats: ConnectionStats;
  readonly origin: { readonly url: string };
  /** Duration of the last handshake in ms; 0 before the first. */
  readonly openTook: number;
  /** Opens a connection for the check alone, beyond the pool's limit. */
  openForCheck(): Connection;
  /** Makes the check's connection one of the pool, if it has room, or closes it. */
  adopt(connection: Connection, maxConnections: number): void;
  /** Fails what waits for a connection and heeds the circuit. */
  failWaiting(cause: CircuitOpen): void;
  /** Detects a thaw now rather than at the next tick, and detects the next ones. */
  watchThaws(): void;
}

/**
 * Ends calls at once while the origin does not respond, instead of at their timeouts. It opens if a call has failed for want
 * of a response and a PING of its own, on fresh connections, gets none either. Any response closes it. A freeze proves
 * nothing: what it interrupts starts over.
 */
export class Circuit {
  /** Whether a response has to be reported: a call has failed, a check runs, or the circuit is not closed. */
  alarmed = false;
  /** When the origin's last response came. */
  respondedAt: Moment | undefined;
  /** Whether a call has failed since then. */
  #failed = false;
  /** Whether the last check got no response. */
  #unreachable = false;
  /** Ticks that the check has left; 0 without one. */
  #ticks = 0;
  #due = 0;
  #timer: NodeJS.Timeout | undefined;
  #connection: Connection | undefined;
  #options: NodeTransportOptions | undefined;
  /** How long it stays open next, in ms. */
  #resetTimeout = 0;
  #retryAt = 0;
  readonly #waiters = new Set<CircuitWaiter>();

  readonly #host: CircuitHost;

  constructor(host: CircuitHost) {
    this.#host = host;
  }

  get state(): CircuitState {
    return this.#host.stats.circuit;
  }

  /**
   * Holds an attempt up until the circuit is closed or open. An attempt after `retryAt` half-opens it.
   * @returns withdraws the waiter.
   */
  wait(waiter: CircuitWaiter, options: NodeTransportOptions): () => void {
    this.#host.watchThaws();
    this.#waiters.add(waiter);
    if (this.state === "open" && this.#now >= this.#retryAt) this.#setState("half-open");
    if (this.state === "open") {
      const cause = this.#cause;
      queueMicrotask(() => this.#waiters.delete(waiter) && waiter.onOpen(cause));
    } else if (this.#ticks === 0) {
      this.#startCheck(options);
      this.#connect();
    }
    return () => this.#waiters.delete(waiter);
  }

  /** A call has had no response for a good part of its time. */
  onSlow(options: NodeTransportOptions): void {
    const { respondedAt } = this;
    if (this.#ticks > 0 || this.state !== "closed") return;
    if (!respondedAt || this.#host.clock.elapsed(respondedAt) > RECENT) this.#startCheck(options);
  }

  /** A call has failed for want of a response. */
  onCallFailed(options: NodeTransportOptions): void {
    if (this.state !== "closed") return;
    this.#failed = this.alarmed = true;
    if (this.#unreachable) this.#open(options.circuit as CircuitSettings);
    else if (this.#ticks === 0) this.#startCheck(options);
  }

  /** A response has come, whatever its status. */
  onResponse(): void {
    this.#endCheck();
    this.#failed = this.#unreachable = this.alarmed = false;
    this.#resetTimeout = 0;
    if (this.state !== "closed") this.#setState("closed");
    for (const waiter of this.#takeWaiters()) waiter.onClosed();
  }

  /** The process was frozen: failures and checks from before prove nothing. */
  onThaw(): void {
    this.#failed = this.#unreachable = false;
    if (this.state === "open") this.#setState("half-open");
    const options = this.#options;
    const restarts = this.#ticks > 0 && this.#waiters.size > 0;
    this.#endCheck();
    if (restarts) this.#startCheck(options!);
  }

  /** The check's connection can be written. */
  onConnected(connection: Connection): void {
    const { probe, keepAlive, maxReplySize, maxConnections } = this.#options!;
    connection.send(probe, keepAlive, maxReplySize, {
      onStart: () => {},
      onResponse: () => {
        // Before what waits goes on, so that it finds the connection.
        this.#connection = undefined;
        this.#host.adopt(connection, maxConnections);
        this.onResponse();
      },
      onFailure: () => {},
    });
  }

  /** The check's connection was lost or could not be opened. The next tick opens another one. */
  onDisconnected(connection: Connection): void {
    if (connection === this.#connection) this.#connection = undefined;
  }

  /** Ends a check that no call waits for. */
  close(): void {
    if (this.#waiters.size === 0) this.#endCheck();
  }

  get #now(): number {
    return this.#host.clock.moment().wall;
  }

  get #cause(): CircuitOpen {
    return new CircuitOpen(this.#host.origin.url, this.#retryAt);
  }

  #startCheck(options: NodeTransportOptions): void {
    // A connection of the last check may be slow rather than dead: its response counts until a new check begins.
    this.#endCheck();
    this.alarmed = true;
    this.#options = options;
    const { probeTimeout } = options.circuit as CircuitSettings;
    this.#ticks = Math.ceil(Math.max(probeTimeout, HANDSHAKES * this.#host.openTook) / TICK);
    this.#startTick();
  }

  /** Ticks rather than one timer: a loop that is blocked or a process that is frozen passes one of them at most. */
  #startTick(): void {
    const { clock } = this.#host;
    this.#due = this.#now + TICK;
    this.#timer = clock.setTimeout(() => {
      if (this.#now - this.#due > LATE) this.onThaw();
      else {
        const timer = this.#timer;
        // A response that has arrived is read first.
        afterTwoPolls(() => this.#timer === timer && this.#onTick());
      }
    }, TICK);
    this.#timer.unref();
  }

  #onTick(): void {
    if (--this.#ticks > 0) {
      if (!this.#connection) this.#connect();
      this.#startTick();
      return;
    }
    this.#unreachable = true;
    if (this.#failed || this.state === "half-open") this.#open(this.#options!.circuit as CircuitSettings);
  }

  #connect(): void {
    this.#connection = this.#host.openForCheck();
  }

  #open({ resetTimeout }: CircuitSettings): void {
    this.#resetTimeout = Math.min(
      Math.max(resetTimeout, 2 * this.#resetTimeout),
      Math.max(resetTimeout, MAX_RESET_TIMEOUT),
    );
    this.#retryAt = this.#now + this.#resetTimeout;
    this.#failed = this.#unreachable = false;
    this.#setState("open");
    this.#host.watchThaws();
    const cause = this.#cause;
    for (const waiter of this.#takeWaiters()) waiter.onOpen(cause);
    this.#host.failWaiting(cause);
  }

  #endCheck(): void {
    const connection = this.#connection;
    this.#ticks = 0;
    this.#host.clock.clear(this.#timer);
    this.#timer = undefined;
    this.#connection = undefined;
    connection?.cancel("closed-by-client");
  }

  #takeWaiters(): CircuitWaiter[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    return waiters;
  }

  #setState(state: CircuitState): void {
    const { stats, origin } = this.#host;
    stats.circuit = state;
    this.alarmed = true;
    const { circuit } = events();
    if (circuit.hasSubscribers) {
      circuit.publish({ origin: origin.url, state, ...(state === "open" && { retryAt: this.#retryAt }) });
    }
  }
}

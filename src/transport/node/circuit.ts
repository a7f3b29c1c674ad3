import type { CircuitOptions } from "../../options/options.js";
import type { Clock, Moment } from "../../util/clock.js";
import { afterTwoPolls, microtask } from "../../util/timers.js";
import type { CircuitState, ConnectionStats, Unreachable } from "../transport.js";
import type { Connection } from "./connection.js";
import { publish } from "./events.js";
import type { NodeTransportOptions } from "./transport-options.js";

/** A check has so many ticks. At each it reads sockets, and opens a connection where it has none. */
const TICKS = 10;

/** Delay of a tick in ms above which the process counts as frozen meanwhile. */
const LATE = 1_000;

/** A response in this part of its timeout shows that a call without a response waits for its command alone. */
const RECENT = 1 / 8;

/** The result of a check counts for calls that fail within so many ms. */
const RESULT_VALID = 1_000;

/** A check lasts at least so many times as long as the last connection took to open. */
const HANDSHAKES = 4;

/** Minimum duration in ms of a check that a call's timeout shortens. */
const MIN_CHECK = 100;

/** A check begins so many ms earlier than it has to. */
const MARGIN = 100;

/** Maximum of the doubled time in ms for which the circuit stays open. */
const MAX_RESET_TIMEOUT = 30_000;

/** Nothing was sent, because the circuit of the origin is open. */
export class CircuitOpen extends Error implements Unreachable {
  /**
   * @param retryAt the time of the next attempt, in ms since 1970.
   * @param cause the last error of a connection, if there was one, such as that of a name or a certificate.
   */
  constructor(
    origin: string,
    readonly retryAt: number,
    cause: Error | undefined,
  ) {
    const last = cause ? `; last error: ${cause.message}` : "";
    const next = "error.retryAt is the time of the next attempt";
    super(`${origin} does not respond, so the circuit is open; ${next}${last}`, cause && { cause });
    Object.assign(this, cause && "code" in cause && { code: cause.code });
  }
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
  /** Whether one of them took its whole time: further ones would too. */
  #timedOut = false;
  /** When a check ended without a response, since the last response. */
  #unreachableAt: Moment | undefined;
  /** The last error of a check's connection, since then. */
  #cause: Error | undefined;
  /** Ticks that the check has left; 0 without one. */
  #ticks = 0;
  /** Interval of the ticks in ms. */
  #tick = 0;
  #due = 0;
  #timer: NodeJS.Timeout | undefined;
  #connection: Connection | undefined;
  #options: NodeTransportOptions | undefined;
  /** How long it stays open, in ms. */
  #resetTimeout = 0;
  #openedAt: Moment | undefined;
  readonly #waiters = new Set<(refusal?: CircuitOpen) => void>();

  constructor(private readonly host: CircuitHost) {}

  get state(): CircuitState {
    return this.host.stats.circuit;
  }

  /** Whether calls fail at once. */
  get isRefusing(): boolean {
    return this.state === "open" && this.#timeLeft > 0;
  }

  /**
   * Holds an attempt up while the circuit is not closed, or a call has timed out and the check has no result yet. An attempt
   * after `retryAt` half-opens it.
   * @param waiter called once: with why the circuit is open, or without an argument if it is closed.
   * @returns withdraws the waiter; undefined if the attempt need not wait.
   */
  wait(waiter: (refusal?: CircuitOpen) => void, options: NodeTransportOptions): (() => void) | undefined {
    this.host.watchThaws();
    if (this.state === "closed" && !(this.#timedOut && this.#ticks > 0)) return undefined;
    this.#waiters.add(waiter);
    if (this.isRefusing) {
      microtask(() => this.#waiters.delete(waiter) && waiter(this.#createRefusal()));
    } else {
      if (this.state === "open") this.#setState("half-open");
      if (this.#ticks === 0) this.#startCheck(options);
      // The first one does not wait for a tick.
      if (!this.#connection && this.#waiters.size === 1) this.#connect();
    }
    return () => this.#waiters.delete(waiter);
  }

  /** Returns the ms after which a call without a response is reported, so that the check ends before the call's timeout. */
  slowAfter(timeout: number, { circuit }: NodeTransportOptions): number {
    return Math.max(timeout / 4, timeout - MARGIN - this.#getCheckTime(circuit as CircuitOptions, timeout));
  }

  /** A call has had no response for a good part of its time. */
  onSlow(options: NodeTransportOptions, timeout: number): void {
    const recent = this.#isWithin(RECENT * timeout, this.respondedAt);
    if (this.#ticks === 0 && this.state === "closed" && !recent) this.#startCheck(options, timeout);
  }

  /** A call has failed for want of a response. */
  onCallFailed(options: NodeTransportOptions, timeout: number, timedOut: boolean): void {
    if (this.state !== "closed") return;
    if (this.#isWithin(RESULT_VALID, this.#unreachableAt)) this.#open(options.circuit as CircuitOptions);
    else if (this.#ticks === 0) this.#startCheck(options, timeout);
    this.#failed = true;
    this.#timedOut ||= timedOut;
  }

  /** A response has come, whatever its status. */
  onResponse(): void {
    this.#endCheck();
    this.alarmed = false;
    this.#cause = undefined;
    this.#resetTimeout = 0;
    if (this.state !== "closed") this.#setState("closed");
    this.#release();
  }

  /** The process was frozen: failures and checks from before prove nothing. */
  onThaw(): void {
    if (this.state === "open") this.#setState("half-open");
    const restarts = this.#ticks > 0 && this.#waiters.size > 0;
    this.#endCheck();
    if (this.state === "closed") this.#release();
    else if (restarts) this.#startCheck(this.#options!);
  }

  /** The check's connection can be written. */
  onConnected(connection: Connection): void {
    const { probe, keepAlive, maxReplySize, maxConnections } = this.#options!;
    connection.send(probe, keepAlive, maxReplySize, {
      onResponse: () => {
        // Before what waits goes on, so that it finds the connection.
        this.#connection = undefined;
        this.host.adopt(connection, maxConnections);
        this.onResponse();
      },
      onFailure: () => {},
    });
  }

  /**
   * A connection was lost or could not be opened. If it was that of the check, the next tick opens another one.
   * @param cause why it could not be opened.
   */
  onDisconnected(connection: Connection, cause: Error | undefined): void {
    this.#cause = cause ?? this.#cause;
    if (connection === this.#connection) this.#connection = undefined;
  }

  /** Ends a check that no call waits for. */
  close(): void {
    if (this.#waiters.size === 0) this.#endCheck();
  }

  get #now(): number {
    return this.host.clock.moment().wall;
  }

  /** How long it is still open, in ms. The wall clock alone may be set back. */
  get #timeLeft(): number {
    return this.#resetTimeout - this.host.clock.elapsed(this.#openedAt!);
  }

  get #retryAt(): number {
    return Math.ceil(this.#now + this.#timeLeft);
  }

  #isWithin(ms: number, since: Moment | undefined): boolean {
    return since !== undefined && this.host.clock.elapsed(since) <= ms;
  }

  #createRefusal(): CircuitOpen {
    return new CircuitOpen(this.host.origin.url, this.#retryAt, this.#cause);
  }

  /** Returns the duration of a check in ms, which is to end before the timeout of the call that it is for. */
  #getCheckTime({ probeTimeout = 500 }: CircuitOptions, timeout: number): number {
    const shortened = Math.min(probeTimeout, Math.max(MIN_CHECK, timeout / 2));
    return Math.max(shortened, HANDSHAKES * this.host.openTook);
  }

  /** @param timeout that of the call that it is for; none if calls wait for the result. */
  #startCheck(options: NodeTransportOptions, timeout = Number.POSITIVE_INFINITY): void {
    // A connection of the last check may be slow rather than dead: its response counts until a new check begins.
    this.#endCheck();
    this.alarmed = true;
    this.#options = options;
    this.#ticks = TICKS;
    this.#tick = this.#getCheckTime(options.circuit as CircuitOptions, timeout) / TICKS;
    this.#startTick();
  }

  /** Ticks rather than one timer: a loop that is blocked or a process that is frozen passes one of them at most. */
  #startTick(): void {
    const { clock } = this.host;
    this.#due = this.#now + this.#tick;
    this.#timer = clock.setTimeout(() => {
      if (this.#now - this.#due > LATE) this.onThaw();
      else {
        const timer = this.#timer;
        // A response that has arrived is read first.
        afterTwoPolls(() => this.#timer === timer && this.#onTick());
      }
    }, this.#tick);
    this.#timer.unref();
  }

  #onTick(): void {
    if (--this.#ticks > 0) {
      if (!this.#connection) this.#connect();
      this.#startTick();
      return;
    }
    this.#unreachableAt = this.host.clock.moment();
    if (this.#failed || this.state === "half-open") this.#open(this.#options!.circuit as CircuitOptions);
  }

  #connect(): void {
    this.#connection = this.host.openForCheck();
  }

  #open({ resetTimeout = 1_000 }: CircuitOptions): void {
    this.#resetTimeout = Math.min(
      Math.max(resetTimeout, 2 * this.#resetTimeout),
      Math.max(resetTimeout, MAX_RESET_TIMEOUT),
    );
    this.#openedAt = this.host.clock.moment();
    this.#setState("open");
    this.host.watchThaws();
    const refusal = this.#createRefusal();
    this.#release(refusal);
    this.host.failWaiting(refusal);
  }

  /** Ends the check, and drops what is known of failures. */
  #endCheck(): void {
    const connection = this.#connection;
    this.#failed = this.#timedOut = false;
    this.#ticks = 0;
    this.host.clock.clear(this.#timer);
    this.#timer = this.#connection = this.#unreachableAt = undefined;
    connection?.cancel("closed-by-client");
  }

  #release(refusal?: CircuitOpen): void {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    for (const waiter of waiters) waiter(refusal);
  }

  #setState(state: CircuitState): void {
    const { stats, origin } = this.host;
    stats.circuit = state;
    this.alarmed = true;
    publish("circuit", origin.url, () => ({ state, ...(state === "open" && { retryAt: this.#retryAt }) }));
  }
}

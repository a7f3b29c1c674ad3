import type { CircuitOptions } from "../../options/options.js";
import type { Clock, Moment } from "../../util/clock.js";
import { afterTwoPolls, microtask } from "../../util/timers.js";
import type { CircuitState, ConnectionStats, Unreachable } from "../transport.js";
import { type Connection, OPENING_LIMIT } from "./connection.js";
import { publish } from "./events.js";
import type { NodeTransportOptions } from "./transport-options.js";

/** Number of ticks of a check. At each tick sockets are read, and a connection is opened if the check has none. */
const TICKS = 10;

/** Delay of a tick in ms above which the process counts as having been frozen. */
const LATE = 1_000;

/** If the origin responded within this fraction of the timeout, a slow call is the fault of its command, not of the origin. */
const RECENT = 1 / 8;

/** Time in ms after a check without a response within which a failed call opens the circuit. */
const RESULT_VALID = 1_000;

/** Minimum duration of a check, as a multiple of the last handshake. */
const HANDSHAKES = 4;

/** Minimum duration in ms of a check that a call's timeout shortens. */
const MIN_CHECK = 100;

/** Time in ms between the end of a check and the timeout of the call that caused it. */
const MARGIN = 100;

/** Maximum time in ms for which the circuit stays open, unless `resetTimeout` is longer. */
const MAX_RESET_TIMEOUT = 30_000;

/** Nothing was sent, because the circuit of the origin is open. */
export class CircuitOpen extends Error implements Unreachable {
  /**
   * @param retryAt the time of the next attempt, in ms since 1970.
   * @param cause the last error of a connection, such as an unknown host or a rejected certificate.
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
  /** Opens a connection for the check. It does not count towards the pool's limit. */
  openForCheck(): Connection;
  /** Adds the check's connection to the pool, or closes it if the pool is full. */
  adopt(connection: Connection, maxConnections: number): void;
  /** Fails the calls that wait for a connection, except those of clients without a circuit. */
  failWaiting(cause: CircuitOpen): void;
  /** Detects a thaw now, and watches for later ones. */
  watchThaws(): void;
}

/**
 * Fails calls at once, instead of at their timeouts, while the origin does not respond. The circuit opens if a call has failed
 * without a response, and its own PING on fresh connections gets no response either. Any response closes it. A check that was
 * interrupted by a freeze starts over.
 */
export class Circuit {
  /** Whether responses have to be reported: a call has failed, a check runs, or the circuit is not closed. */
  alarmed = false;
  /** When the origin's last response arrived. */
  respondedAt: Moment | undefined;
  /** Whether a call has failed since the last response. */
  #failed = false;
  /** Whether a call that failed had timed out. Further calls would time out too. */
  #timedOut = false;
  /** When a check ended without a response. Undefined after a response. */
  #unreachableAt: Moment | undefined;
  /** Why a connection could not be opened. Undefined after a response. */
  #cause: Error | undefined;
  /** Remaining ticks of the check, or 0 if no check runs. */
  #ticks = 0;
  /** Interval of the ticks in ms. */
  #tick = 0;
  #due = 0;
  #timer: NodeJS.Timeout | undefined;
  #connection: Connection | undefined;
  #options: NodeTransportOptions | undefined;
  /** Time in ms for which the circuit stays open. */
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
   * Delays an attempt while the circuit is not closed, or while a check runs after a timeout. An attempt after `retryAt` makes
   * the circuit half-open.
   * @param waiter called once: with the refusal if the circuit is open, without an argument if it is closed.
   * @returns a function that withdraws the waiter, or undefined if the attempt need not wait.
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
      // The first waiter does not wait for a tick.
      if (!this.#connection && this.#waiters.size === 1) this.#connect();
    }
    return () => this.#waiters.delete(waiter);
  }

  /** Returns the time in ms without a response at which `onSlow` is due, so that its check ends before the call's timeout. */
  slowAfter(timeout: number, { circuit }: NodeTransportOptions): number {
    return Math.max(timeout / 4, timeout - MARGIN - this.#getCheckTime(circuit as CircuitOptions, timeout));
  }

  /** A call has had no response for the time of {@link slowAfter}. */
  onSlow(options: NodeTransportOptions, timeout: number): void {
    const recent = this.#isWithin(RECENT * timeout, this.respondedAt);
    if (this.#ticks === 0 && this.state === "closed" && !recent) this.#startCheck(options, timeout);
  }

  /** A call has failed without a response. */
  onCallFailed(options: NodeTransportOptions, timeout: number, timedOut: boolean): void {
    if (this.state !== "closed") return;
    if (this.#isWithin(RESULT_VALID, this.#unreachableAt)) this.#open(options.circuit as CircuitOptions);
    else if (this.#ticks === 0) this.#startCheck(options, timeout);
    this.#failed = true;
    this.#timedOut ||= timedOut;
  }

  /** A response has arrived, whatever its status. */
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
        // Adopted before the waiters go on, so that they find the connection.
        this.#connection = undefined;
        this.host.adopt(connection, maxConnections);
        this.onResponse();
      },
      onFailure: () => {},
    });
  }

  /**
   * A connection was lost or could not be opened. If it was the check's, the next tick opens another.
   * @param cause why the connection could not be opened.
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

  /** Time in ms for which the circuit still stays open. By both clocks, because the wall clock may be set back. */
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

  /** Returns the duration of a check in ms. It is shortened for a call with a short timeout. */
  #getCheckTime({ probeTimeout = 500 }: CircuitOptions, timeout: number): number {
    const shortened = Math.min(probeTimeout, Math.max(MIN_CHECK, timeout / 2));
    return Math.max(shortened, HANDSHAKES * this.host.openTook);
  }

  /** @param timeout the timeout in ms of the call that caused the check. Infinity if calls wait for the result. */
  #startCheck(options: NodeTransportOptions, timeout = Infinity): void {
    // A connection of the last check may be slow rather than dead: its response counts until a new check begins.
    this.#endCheck();
    this.alarmed = true;
    this.#options = options;
    this.#ticks = TICKS;
    this.#tick = this.#getCheckTime(options.circuit as CircuitOptions, timeout) / TICKS;
    this.#startTick();
  }

  /** Starts a tick. A check has several ticks, because a blocked event loop or a freeze can use up only one of them. */
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
    const connection = this.#connection;
    if (connection && !connection.open) {
      const close = () => {
        if (!connection.open) connection.destroy("closed-by-client");
      };
      this.#timer = this.host.clock.setTimeout(close, OPENING_LIMIT);
      this.#timer.unref();
    }
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

  /** Ends the check, and forgets failed calls. */
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

import type { HttpResponse } from "../../protocol/http.js";
import { MAX_NUMBERED } from "../../protocol/numbers.js";
import type { Moment } from "../../util/clock.js";
import { setImmediate } from "../../util/timers.js";
import type { Attempt, AttemptListener } from "../transport.js";
import type { CloseReason, Connection, ExchangeListener } from "./connection.js";
import type { Pool } from "./pool.js";
import type { NodeTransportOptions } from "./transport-options.js";

/**
 * Time in ms after a failure to open a second connection until the next try. Also the time until the refusal of one copy of the
 * request counts although another copy is under way.
 */
const HEDGE_AGAIN_AFTER = 500;

const ENDED_AT_ONCE =
  "the server closed the connection, or sent bytes, before a request: url must be that of an HTTP/1.1 server";

/** Returns the time in ms without a response on a suspect connection after which a fresh one is opened: some round trips. */
function hedgeDelay(connection: Connection): number {
  return Math.min(500, Math.max(20, 4 * connection.openTook));
}

/**
 * One try to send a request. On a fresh connection the request is written at once. On a suspect connection a request whose
 * copies may overlap is written too, and written again on a fresh connection if no response arrives in time. Any other request
 * waits for the response to a probe or for a fresh connection, whichever comes first.
 */
export class PooledAttempt implements Attempt, ExchangeListener {
  /** The connections in use: one, or two while a fresh connection races a suspect one. */
  readonly #running: Connection[] = [];
  /** The connection in use on which nothing has been written yet. */
  #validating: Connection | undefined;
  /** The connection whose loss does not fail the attempt, because a second one takes its place. */
  #suspect: Connection | undefined;
  #stopWaiting: (() => void) | undefined;
  #hedge: NodeJS.Timeout | undefined;
  #done = false;
  /** Number of connections that were opened for this attempt. */
  #opened = 0;
  /** The number of times that the request was written. */
  #written = 0;
  /** Whether two copies of the request may be under way at the same time. */
  #mayOverlap = false;
  /** Whether a late response is reason enough to write the request again. False for a long request. */
  #mayHedge = false;
  /** When the request was written, if its response is timed. */
  #writtenAt: Moment | undefined;
  /** The connection on which the response is late. */
  #late: Connection | undefined;
  /** The response that refused one copy of the request while another copy was under way. */
  #refusal: HttpResponse | undefined;

  constructor(
    private readonly pool: Pool,
    private readonly options: NodeTransportOptions,
    private readonly listener: AttemptListener,
  ) {}

  begin(): this {
    const { circuit } = this.pool;
    if (circuit.alarmed && this.options.circuit) {
      const waiter = (refusal?: Error) => {
        this.#stopWaiting = undefined;
        if (refusal) this.#fail(refusal);
        else this.#start();
      };
      this.#stopWaiting = circuit.wait(waiter, this.options);
    }
    if (!this.#stopWaiting) this.#start();
    return this;
  }

  onLate(): void {
    const [connection] = this.#running;
    if (this.#written !== 1 || !connection || this.#validating || this.#suspect || this.#late) return;
    this.#late = connection;
    if (!this.#mayHedge || !this.pool.hedging.take(this.listener.label)) return;
    this.#suspect = connection;
    this.#waitForConnection(1);
  }

  #start(): void {
    const connection = this.pool.takeIdle();
    if (connection) this.#tryIdle(connection);
    else this.#waitForConnection();
  }

  abort(): void {
    this.#finish("aborted");
  }

  #tryIdle(connection: Connection): void {
    this.#running.push(connection);
    this.#validating = connection;
    // A FIN, a reset or a surplus byte that has arrived is seen only when the event loop polls. After a freeze in the middle
    // of a callback one poll is not enough.
    setImmediate(pollAgain, this);
  }

  /** Called after the event loop has polled twice. */
  validateIdleSocket(): void {
    const validating = this.#validating;
    if (this.#done || !validating) return;
    this.#validating = undefined;
    const { idle, usable } = validating;
    if (!usable || validating.isStale(idle)) {
      this.#leave(validating);
      if (usable) validating.destroy("idle-timeout");
      // A server that ends each connection at once would have connections opened in a loop. A freeze may end one.
      if (!usable && this.#opened > 1) this.#failToOpen(new Error(ENDED_AT_ONCE));
      else this.#start();
    } else if (this.pool.isSuspect(validating, idle)) this.#handleSuspect(validating);
    else this.#write(validating);
  }

  #handleSuspect(connection: Connection): void {
    // Allow one connection above the limit: the suspect one is probably dead.
    this.#hedgeAfter(hedgeDelay(connection), 1);
    if (this.listener.numberIfNeeded()) {
      this.#suspect = connection;
      this.#write(connection);
    } else this.#probe(connection);
  }

  #hedgeAfter(ms: number, extra: number): void {
    this.#hedge = this.pool.clock.setTimeout(() => this.#waitForConnection(extra), ms);
  }

  /** The suspect connection is closed. Other idle ones may be dead too, so open a fresh one. */
  #replaceSuspect(connection: Connection): void {
    this.#leave(connection);
    if (this.#running.length > 0 || this.#stopWaiting) return;
    this.pool.clock.clear(this.#hedge);
    this.#waitForConnection();
  }

  #probe(connection: Connection): void {
    const { probe, maxReplySize } = this.options;
    connection.send(probe, true, maxReplySize, {
      onResponse: () => {
        this.#leave(connection);
        this.#stopHedging();
        this.pool.onResponse(connection);
        this.#tryIdle(connection);
      },
      onFailure: () => this.#replaceSuspect(connection),
    });
  }

  /** @param extra number of connections allowed above the limit. */
  #waitForConnection(extra = 0): void {
    const { circuit, maxConnections } = this.options;
    this.#stopWaiting = this.pool.wait({
      heedsCircuit: circuit !== false,
      limit: maxConnections + extra,
      onConnection: (connection) => {
        this.#stopWaiting = undefined;
        if (connection.requests === 0) this.#opened++;
        // Only a probe may be under way on the suspect connection.
        if (!this.#mayOverlap) this.#endRunning("no-response");
        // The connection may have been opened before a freeze, or given back just now: check it like an idle one.
        this.#tryIdle(connection);
      },
      onFailure: (cause) => {
        this.#stopWaiting = undefined;
        this.#failToOpen(cause, extra);
      },
    });
  }

  /** @param extra see {@link #waitForConnection}. */
  #failToOpen(cause: Error, extra = 1): void {
    if (this.#running.length === 0) this.#fail(cause);
    else this.#hedgeAfter(HEDGE_AGAIN_AFTER, extra);
  }

  #write(connection: Connection): void {
    if (connection.requests > 0) this.pool.onReuse(connection);
    this.#written++;
    this.#mayOverlap = this.listener.numberIfNeeded();
    const { keepAlive, maxReplySize } = this.options;
    const request = this.listener.take();
    this.#mayHedge = this.#mayOverlap && request.body.length <= MAX_NUMBERED;
    this.#writtenAt = this.pool.hedging.onWrite();
    connection.send(request, keepAlive, maxReplySize, this);
  }

  onStart(): void {
    this.listener.onStart();
  }

  onResponse(response: HttpResponse, connection: Connection): void {
    const { hedging } = this.pool;
    if (connection === this.#late) hedging.onSlow(this.listener.label);
    else if (this.#writtenAt) hedging.onResponse(this.#writtenAt);
    this.#leave(connection);
    if (this.#running.length > 0 && this.listener.isRefusal?.(response)) {
      this.#refusal = response;
      this.pool.giveBack(connection);
      this.pool.onResponse(connection);
      this.#hedge = this.pool.clock.setTimeout(() => this.#refuse(), HEDGE_AGAIN_AFTER);
      return;
    }
    this.#finish("no-response");
    // Given back before the callback, so that the next command finds the connection.
    this.pool.giveBack(connection);
    this.pool.onResponse(connection);
    this.listener.onResponse(response, this.#written > 1);
  }

  onFailure(cause: Error, connection: Connection): void {
    connection.destroy("closed-by-peer");
    if (this.#refusal) {
      this.#leave(connection);
      if (this.#running.length === 0) this.#refuse();
    } else if (connection === this.#suspect) this.#replaceSuspect(connection);
    else this.#fail(cause);
  }

  #refuse(): void {
    this.#finish("no-response");
    this.listener.onResponse(this.#refusal!, true);
  }

  #fail(cause: Error): void {
    if (this.#done) return;
    this.#finish("no-response");
    this.listener.onFailure(cause);
  }

  #finish(reason: CloseReason): void {
    this.#done = true;
    this.#stopHedging();
    if (this.#running.length > 0) this.#endRunning(reason);
  }

  #stopHedging(): void {
    this.pool.clock.clear(this.#hedge);
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
  }

  #leave(connection: Connection): void {
    const running = this.#running;
    const at = running.indexOf(connection);
    // Nearly always it is the last one.
    if (at === running.length - 1) running.pop();
    else if (at !== -1) running.splice(at, 1);
  }

  #endRunning(reason: CloseReason): void {
    const validating = this.#validating;
    this.#validating = undefined;
    for (const connection of this.#running.splice(0)) {
      if (connection === validating) this.pool.giveBack(connection);
      else connection.cancel(reason);
    }
  }
}

// Timers get the attempt as their argument, so that no function is created per attempt.
const pollAgain = (attempt: PooledAttempt) => setImmediate(validate, attempt);
const validate = (attempt: PooledAttempt) => attempt.validateIdleSocket();

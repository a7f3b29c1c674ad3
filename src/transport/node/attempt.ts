import type { HttpResponse } from "../../protocol/http.js";
import { MAX_NUMBERED } from "../../protocol/numbers.js";
import type { Moment } from "../../util/clock.js";
import { setImmediate } from "../../util/timers.js";
import type { Attempt, AttemptListener } from "../transport.js";
import type { CloseReason, Connection, ExchangeListener } from "./connection.js";
import type { Pool } from "./pool.js";
import type { NodeTransportOptions } from "./transport-options.js";

/** The wait before another connection is opened where the one opened to replace a suspect one failed, in ms. */
const HEDGE_AGAIN_AFTER = 500;

/** The wait for a first byte on a suspect connection before a fresh one is opened: some round trips, in ms. */
function hedgeDelay(connection: Connection): number {
  return Math.min(500, Math.max(20, 4 * connection.openTook));
}

/**
 * One try at a request. On a connection that is fresh it is written at once. On a suspect one a request that is
 * safe to repeat is written too, and again on a fresh connection if no response comes in time; any other waits for
 * the response to a probe, or for the fresh connection, whichever comes first.
 */
export class PooledAttempt implements Attempt, ExchangeListener {
  /** The connections that it is under way on: one, but where a fresh one races a suspect one. */
  readonly #running: Connection[] = [];
  /** The one of them that nothing was written on yet. */
  #validating: Connection | undefined;
  /** The one that it was written on though it is suspect. */
  #suspect: Connection | undefined;
  #stopWaiting: (() => void) | undefined;
  #hedge: NodeJS.Timeout | undefined;
  #done = false;
  /** The number of times that the request was written. */
  #written = 0;
  /** Whether it may be written again. */
  #repeatable = false;
  /** Whether it may be written again only because its response is late: a long one may not. */
  #mayHedge = false;
  /** When it was written, if its response is timed. */
  #writtenAt: Moment | undefined;
  /** The connection on which its response is late. */
  #late: Connection | undefined;
  /** The refusal of one copy while another one is under way. */
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
    // As one that is suspect: if it is lost, the other one counts.
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
    // A FIN, a reset or a surplus byte that has arrived is seen only when the loop polls, and once is not enough
    // after a freeze in mid-callback.
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
      this.#start();
    } else if (this.pool.isSuspect(validating, idle)) this.#handleSuspect(validating);
    else this.#write(validating);
  }

  #handleSuspect(connection: Connection): void {
    // One more than allowed, since the suspect one probably is none.
    this.#hedgeAfter(hedgeDelay(connection), 1);
    if (this.listener.makeRepeatable()) {
      this.#suspect = connection;
      this.#write(connection);
    } else this.#probe(connection);
  }

  #hedgeAfter(ms: number, more: number): void {
    this.#hedge = this.pool.clock.setTimeout(() => this.#waitForConnection(more), ms);
  }

  /** The suspect connection is gone, and others that were idle for as long may be: a fresh one won't be. */
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

  #waitForConnection(more = 0): void {
    const { circuit, maxConnections } = this.options;
    this.#stopWaiting = this.pool.wait({
      heedsCircuit: circuit !== false,
      limit: maxConnections + more,
      onConnection: (connection) => {
        this.#stopWaiting = undefined;
        // Nothing was written on a suspect connection but a probe, or this may be written twice.
        if (!this.#repeatable) this.#endRunning("no-response");
        // The connection may have just been given back, or opened before a freeze: check it as any idle one.
        this.#tryIdle(connection);
      },
      onFailure: (cause) => {
        this.#stopWaiting = undefined;
        if (this.#running.length === 0) this.#fail(cause);
        else this.#hedgeAfter(HEDGE_AGAIN_AFTER, more);
      },
    });
  }

  #write(connection: Connection): void {
    if (connection.requests > 0) this.pool.onReuse(connection);
    this.#written++;
    this.#repeatable = this.listener.makeRepeatable();
    const { keepAlive, maxReplySize } = this.options;
    const request = this.listener.take();
    this.#mayHedge = this.#repeatable && request.body.length <= MAX_NUMBERED;
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
    // Before the listener's callback, so that the next command finds the connection.
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
    // Nearly always it is the only one.
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

// The attempt is passed to them as their argument, so that it needs no functions of its own.
const pollAgain = (attempt: PooledAttempt) => setImmediate(validate, attempt);
const validate = (attempt: PooledAttempt) => attempt.validateIdleSocket();

import type { HttpResponse } from "../../wire/http.js";
import { clearTimeout, setImmediate, setTimeout } from "../timers.js";
import type { Attempt, AttemptListener } from "../transport.js";
import type { CloseReason, Connection, ExchangeListener } from "./connection.js";
import type { Pool } from "./pool.js";
import type { NodeTransportOptions } from "./transport.js";

/** Idle for longer than this, a connection may lead nowhere without our having been told, in ms. */
const DOUBTFUL_AFTER = 1_000;

/** The wait before another connection is opened where the one opened to replace a doubtful one failed, in ms. */
const HEDGE_AGAIN_AFTER = 500;

/** The wait for a first byte on a doubtful connection before a fresh one is opened: some round trips, in ms. */
function patience(connection: Connection): number {
  return Math.min(500, Math.max(20, 4 * connection.openTook));
}

/**
 * One try at a request. On a connection that is fresh it is written at once. On a doubtful one a request that is
 * safe to repeat is written too, and again on a fresh connection if no response comes in time; any other waits for
 * the response to a probe, or for the fresh connection, whichever comes first.
 */
export class PooledAttempt implements Attempt, ExchangeListener {
  /** The connections that it is under way on: one, but where a fresh one races a doubtful one. */
  private readonly running: Connection[] = [];
  /** The one of them that nothing was written on yet. */
  private turning: Connection | undefined;
  /** The one that it was written on though it is doubtful. */
  private doubted: Connection | undefined;
  private stopWaiting: (() => void) | undefined;
  private hedge: ReturnType<typeof setTimeout> | undefined;
  private done = false;
  /** How often it was written. */
  private written = 0;

  constructor(
    private readonly pool: Pool,
    private readonly options: NodeTransportOptions,
    private readonly safe: boolean,
    private readonly listener: AttemptListener,
  ) {}

  begin(): this {
    const connection = this.pool.takeIdle();
    if (connection) this.tryIdle(connection);
    else this.waitForConnection();
    return this;
  }

  abort(): void {
    this.finish("aborted");
  }

  private tryIdle(connection: Connection): void {
    this.running.push(connection);
    this.turning = connection;
    // A FIN, a reset or a surplus byte that has arrived is seen only when the loop polls, and once is not enough
    // after a freeze in mid-callback.
    setImmediate(turnAgain, this);
  }

  /** The loop has turned twice. */
  turned(): void {
    const { turning } = this;
    if (this.done || !turning) return;
    this.turning = undefined;
    const { idle, usable } = turning;
    if (!usable || turning.isStale(idle)) {
      this.leave(turning);
      if (usable) turning.destroy("idle-timeout");
      this.begin();
    } else if (this.isDoubtful(turning, idle)) this.doubt(turning);
    else this.write(turning);
  }

  private isDoubtful(connection: Connection, idle: number): boolean {
    // A handshake that took so long may have been interrupted by a freeze.
    const openedSlowly = connection.requests === 0 && connection.openTook > DOUBTFUL_AFTER;
    return idle > DOUBTFUL_AFTER || openedSlowly || this.pool.frozenSince(connection);
  }

  private doubt(connection: Connection): void {
    // One more than allowed, since the doubtful one probably is none.
    this.hedge = setTimeout(() => this.waitForConnection(1), patience(connection));
    if (this.safe) {
      this.doubted = connection;
      this.write(connection);
    } else this.probe(connection);
  }

  /** The doubtful connection is gone, and others that were idle for as long may be: a fresh one won't be. */
  private replaceDoubtful(connection: Connection): void {
    this.leave(connection);
    if (this.running.length > 0 || this.stopWaiting) return;
    clearTimeout(this.hedge);
    this.waitForConnection();
  }

  private probe(connection: Connection): void {
    const { probe, maxReplySize } = this.options;
    connection.send(probe, true, maxReplySize, {
      onStart: () => {},
      onResponse: () => {
        this.leave(connection);
        this.stopHedging();
        this.tryIdle(connection);
      },
      onFailure: () => this.replaceDoubtful(connection),
    });
  }

  private waitForConnection(more = 0): void {
    this.stopWaiting = this.pool.wait(
      {
        onConnection: (connection) => {
          this.stopWaiting = undefined;
          // Nothing was written on a doubtful connection but a probe, or this may be written twice.
          if (!this.safe) this.endRunning("no-response");
          // It may have been given back by somebody just now, or opened before a freeze: the same care as always.
          this.tryIdle(connection);
        },
        onFailure: (cause) => {
          this.stopWaiting = undefined;
          if (this.running.length === 0) this.fail(cause);
          else this.hedge = setTimeout(() => this.waitForConnection(more), HEDGE_AGAIN_AFTER);
        },
      },
      this.options.maxConnections + more,
    );
  }

  private write(connection: Connection): void {
    if (connection.requests > 0) this.pool.onReuse(connection);
    this.written++;
    const { keepAlive, maxReplySize } = this.options;
    connection.send(this.listener.request, keepAlive, maxReplySize, this);
  }

  onStart(): void {
    this.listener.onStart();
  }

  onResponse(response: HttpResponse, connection: Connection): void {
    this.leave(connection);
    this.finish("no-response");
    // Before anybody hears of the response, so that the next command finds the connection.
    this.pool.giveBack(connection);
    this.listener.onResponse(response, this.written > 1);
  }

  onFailure(cause: Error, connection: Connection): void {
    connection.destroy("closed-by-peer");
    if (connection === this.doubted) this.replaceDoubtful(connection);
    else this.fail(cause);
  }

  private fail(cause: Error): void {
    if (this.done) return;
    this.finish("no-response");
    this.listener.onFailure(cause);
  }

  private finish(reason: CloseReason): void {
    this.done = true;
    this.stopHedging();
    if (this.running.length > 0) this.endRunning(reason);
  }

  private stopHedging(): void {
    if (this.hedge !== undefined) clearTimeout(this.hedge);
    this.stopWaiting?.();
    this.stopWaiting = undefined;
  }

  private leave(connection: Connection): void {
    const { running } = this;
    if (running.length === 1 && running[0] === connection) running.pop();
    else if (running.includes(connection)) running.splice(running.indexOf(connection), 1);
  }

  private endRunning(reason: CloseReason): void {
    const { turning } = this;
    this.turning = undefined;
    for (const connection of this.running.splice(0)) {
      if (connection === turning) this.pool.giveBack(connection);
      else connection.abandon(reason);
    }
  }
}

function turnAgain(attempt: PooledAttempt): void {
  setImmediate(turned, attempt);
}

function turned(attempt: PooledAttempt): void {
  attempt.turned();
}

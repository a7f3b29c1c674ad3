import type { HttpAnswer, HttpRequest } from "../../wire/http.js";
import { turnTwice } from "../call.js";
import type { Attempt, AttemptListener } from "../transport.js";
import type { Connection, Discard } from "./connection.js";
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
 * safe to repeat is written too, and again on a fresh connection if no answer comes in time; any other waits for
 * the answer to a probe, or for the fresh connection, whichever comes first.
 */
export class PooledAttempt implements Attempt {
  /** Ends what is under way, by the connection that it is under way on. */
  private readonly running = new Map<Connection, (reason: Discard) => void>();
  private stopWaiting: (() => void) | undefined;
  private hedge: ReturnType<typeof setTimeout> | undefined;
  private done = false;

  constructor(
    private readonly pool: Pool,
    private readonly options: NodeTransportOptions,
    private readonly request: HttpRequest,
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
    this.running.set(connection, () => this.pool.giveBack(connection));
    // A FIN, a reset or a surplus byte that has arrived is seen only when the loop polls.
    turnTwice(() => {
      if (this.done) return;
      this.running.delete(connection);
      if (!connection.usable) this.begin();
      else if (this.isDoubtful(connection)) this.doubt(connection);
      else this.write(connection);
    });
  }

  private isDoubtful(connection: Connection): boolean {
    // A handshake that took so long may have been interrupted by a freeze.
    const openedSlowly = connection.requests === 0 && connection.openTook > DOUBTFUL_AFTER;
    return connection.idle > DOUBTFUL_AFTER || openedSlowly || this.pool.frozenSince(connection);
  }

  private doubt(connection: Connection): void {
    // One more than allowed, since the doubtful one probably is none.
    this.hedge = setTimeout(() => this.waitForConnection(1), patience(connection));
    if (this.safe) this.write(connection, true);
    else this.probe(connection);
  }

  /** The doubtful connection is gone, and others that were idle for as long may be: a fresh one won't be. */
  private replaceDoubtful(connection: Connection): void {
    this.running.delete(connection);
    if (this.running.size > 0 || this.stopWaiting) return;
    clearTimeout(this.hedge);
    this.waitForConnection();
  }

  private probe(connection: Connection): void {
    const end = connection.send(this.options.probe, true, {
      onStart: () => {},
      onAnswer: () => {
        this.running.delete(connection);
        clearTimeout(this.hedge);
        this.stopWaiting?.();
        this.stopWaiting = undefined;
        this.tryIdle(connection);
      },
      onFailure: () => this.replaceDoubtful(connection),
    });
    this.running.set(connection, end);
  }

  private waitForConnection(more = 0): void {
    this.stopWaiting = this.pool.wait(
      {
        onConnection: (connection) => {
          this.stopWaiting = undefined;
          // Nothing was written on a doubtful connection but a probe, or this may be written twice.
          if (!this.safe) this.endRunning("no answer");
          // It may have been given back by somebody just now, or opened before a freeze: the same care as always.
          this.tryIdle(connection);
        },
        onFailure: (cause) => {
          this.stopWaiting = undefined;
          if (this.running.size === 0) this.fail(cause);
          else this.hedge = setTimeout(() => this.waitForConnection(more), HEDGE_AGAIN_AFTER);
        },
      },
      this.options.maxConnections + more,
    );
  }

  private write(connection: Connection, doubtful = false): void {
    if (connection.requests > 0) this.pool.onReuse(connection);
    const end = connection.send(this.request, this.options.keepAlive, {
      onStart: () => this.listener.onStart(),
      onAnswer: (answer) => this.answered(connection, answer),
      onFailure: (cause) => {
        connection.destroy("closed by peer");
        if (doubtful) this.replaceDoubtful(connection);
        else this.fail(cause);
      },
    });
    this.running.set(connection, end);
  }

  private answered(connection: Connection, answer: HttpAnswer): void {
    this.running.delete(connection);
    this.finish("no answer");
    // Before anybody hears of the answer, so that the next command finds the connection.
    this.pool.giveBack(connection);
    this.listener.onAnswer(answer);
  }

  private fail(cause: Error): void {
    if (this.done) return;
    this.finish("no answer");
    this.listener.onFailure(cause);
  }

  private finish(reason: Discard): void {
    this.done = true;
    clearTimeout(this.hedge);
    this.stopWaiting?.();
    this.stopWaiting = undefined;
    this.endRunning(reason);
  }

  private endRunning(reason: Discard): void {
    const ends = [...this.running.values()];
    this.running.clear();
    for (const end of ends) end(reason);
  }
}

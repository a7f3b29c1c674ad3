import { CANCELLED, CLOSING, UpstreamFailure } from "./failure.js";
import { MultiplexedConnection, type MultiplexedConnectionOptions } from "./multiplexed-connection.js";

/** Idle connections kept for the next use. */
const MAX_IDLE = 4;
/** Borrowers that may wait for a connection. More are refused at once. */
const MAX_WAITING = 1_000;
/** Idle timeout of a connection, in ms. */
const IDLE_TIMEOUT = 30_000;

/** The receiver of a connection that it has for itself. */
export interface Borrower {
  readonly cancelled: boolean;
  /** Takes the connection, until {@link Pool.release}. */
  onConnection(connection: MultiplexedConnection): void;
  /** Called when there is no connection for it. */
  onRefused(failure: UpstreamFailure): void;
}

/** A bounded set of connections lent to one user at a time, for what must not share one. */
export class Pool {
  readonly #connectionOptions: MultiplexedConnectionOptions;
  #idle: MultiplexedConnection[] = [];
  readonly #all = new Set<MultiplexedConnection>();
  /** Borrowers that wait, in their order, each with the timer of its deadline. */
  readonly #waiting = new Map<Borrower, NodeJS.Timeout>();
  /** The failure of all borrowers once it lends no more. */
  #stopped: UpstreamFailure | null = null;

  /** @param setting the setting that `max` comes from */
  constructor(
    connectionOptions: MultiplexedConnectionOptions,
    private readonly max: number,
    private readonly setting: string,
  ) {
    this.#connectionOptions = { ...connectionOptions, reconnect: "never", idle: IDLE_TIMEOUT };
  }

  /** Connections lent or idle. */
  get size(): number {
    return this.#all.size;
  }

  /** Lends a connection, now or when one comes back by `deadline`, on the clock of `performance.now()`. */
  borrow(borrower: Borrower, deadline: number): void {
    if (this.#stopped) {
      borrower.onRefused(this.#stopped);
      return;
    }
    this.#closeOutdated();
    const idle = this.#idle.pop();
    if (idle) borrower.onConnection(idle);
    else if (this.#all.size < this.max) borrower.onConnection(this.#make());
    else if (this.#waiting.size >= MAX_WAITING) borrower.onRefused(this.#busy());
    else this.#queue(borrower, deadline);
  }

  /** Takes a connection back. Closes one that owes a reply, is outdated, or is at a server that was left. */
  release(connection: MultiplexedConnection): void {
    if (connection.closed) return;
    this.#closeOutdated();
    if (connection.pending > 0 || connection.isOutdated || connection.isLeft || this.#stopped) {
      connection.close();
      return;
    }
    const next = this.#next();
    if (next) next.onConnection(connection);
    else if (this.#idle.length >= MAX_IDLE) connection.close();
    else this.#idle.push(connection);
  }

  /** Stops lending: borrowers fail with this failure. Lent connections stay lent. */
  stopLending(failure: UpstreamFailure): void {
    this.#stopped = failure;
    for (let next = this.#next(); next; next = this.#next()) next.onRefused(failure);
  }

  /** Closes every connection, lent ones too. */
  close(): void {
    this.stopLending(this.#stopped ?? CLOSING);
    for (const connection of [...this.#all]) connection.close();
  }

  /** Closes the idle connections with an earlier password. */
  #closeOutdated(): void {
    for (const connection of this.#idle) if (connection.isOutdated) connection.close();
  }

  #make(): MultiplexedConnection {
    const connection = new MultiplexedConnection(this.#connectionOptions);
    this.#all.add(connection);
    connection.onClose = () => this.#gone(connection);
    connection.open();
    return connection;
  }

  #gone(connection: MultiplexedConnection): void {
    this.#all.delete(connection);
    this.#idle = this.#idle.filter((idle) => idle !== connection);
    const next = this.#next();
    if (next) next.onConnection(this.#make());
  }

  #queue(borrower: Borrower, deadline: number): void {
    const onTimeout = () => {
      this.#waiting.delete(borrower);
      borrower.onRefused(this.#busy());
    };
    this.#waiting.set(borrower, setTimeout(onTimeout, Math.max(0, deadline - performance.now())));
  }

  #next(): Borrower | null {
    for (const [borrower, timer] of this.#waiting) {
      clearTimeout(timer);
      this.#waiting.delete(borrower);
      if (!borrower.cancelled) return borrower;
      borrower.onRefused(CANCELLED);
    }
    return null;
  }

  #busy(): UpstreamFailure {
    const message = `all ${this.max} connections for such commands are in use (setting ${this.setting})`;
    return new UpstreamFailure("full", message);
  }
}

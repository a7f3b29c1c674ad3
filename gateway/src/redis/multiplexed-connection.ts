import type { Command } from "../resp/command.js";
import { BatchQueue } from "./batch-queue.js";
import { CommandBatch } from "./command-batch.js";
import { CANCELLED, type Receiver, UpstreamFailure } from "./failure.js";
import { InFlightConnection, type InFlightConnectionHandler } from "./in-flight-connection.js";
import type { RedisSocketOptions } from "./redis-socket.js";

/** Maximum number of replaced connections still in use. Above it, a large reply delays the replies behind it. */
const MAX_REPLACED = 64;
/** A read that would wait longer than this behind a large reply, in ms, is sent again on another connection. */
const READS_WAIT = 1_000;
/** A reply of more bytes probably takes longer than that: reads behind it are sent again at once. */
const SOON_OVER = 16 * 1_024 * 1_024;
const INITIAL_BACKOFF = 50;
const MAX_BACKOFF = 2_000;
/** If a connection was up for this long, in ms, the next one is opened without delay. */
const MIN_STABLE_TIME = 1_000;
/** Minimum interval between checks of deadlines, in ms. */
const MIN_TIMER_INTERVAL = 5;

export interface MultiplexedConnectionOptions extends RedisSocketOptions {
  /** Timeout of a command in ms, from its call to its reply. */
  readonly timeout: number;
  /** Maximum number of waiting or unanswered commands. More are refused. */
  readonly maxQueuedCommands: number;
  /**
   * The reconnect policy after the connection is lost.
   *
   * - `always`: a new connection is opened, and commands wait for it
   * - `wanted`: the next command opens a new connection; while that fails, commands are refused at once
   * - `never`: the connection stays closed
   */
  readonly reconnect: "always" | "wanted" | "never";
  /** Returns why the server was never reached, or null. With a reason, commands fail at once. Default: they wait. */
  readonly unreachedReason?: (() => string | null) | undefined;
  /** Time in ms for which an unused connection is kept, or opening one is retried. Default: no limit. */
  readonly idle?: number | undefined;
}

/**
 * A connection to Redis shared by many commands. All commands of one iteration of the event loop go out in one
 * write. A command that comes alone is written at once. A large batch is written in chunks, between others.
 *
 * A command is written at most once, except a read behind a large reply, and never after its deadline. When the connection
 * drops, written commands fail as `unknown`. Unwritten ones wait for the next connection, except those of a batch that lost
 * a command. They fail as `unsent`, so that a caller that repeats the lost command keeps the order.
 *
 * A connection on which a command timed out while Redis sent nothing gets no more commands. A new one replaces it, and the
 * old one stays open as long as a reply on it is awaited. A connection on which a reply of several megabytes begins is
 * replaced too. That reply is read as fast as the client takes it. Reads written behind it are written again, once, on
 * the new connection.
 */
export class MultiplexedConnection {
  readonly #queue = new BatchQueue();
  #connection: InFlightConnection | null = null;
  /** Connections that were replaced, because of silence, a large reply or another address, and still await replies. */
  readonly #replaced = new Set<InFlightConnection>();
  /** A connection that was held up by a large reply and is free again, for use when the next one is held up. */
  #spare: InFlightConnection | null = null;
  #flushing = false;
  /** Number of batches that had a part in the last write. */
  #lastBatchCount = 0;
  closed = false;
  /** Whether the address now leads to another server, so that this connection is not lent again. */
  isLeft = false;
  #attempts = 0;
  #lastError = "no connection to Redis yet";
  #due = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;
  #retry: NodeJS.Timeout | undefined;
  #usedAt = 0;
  #idleTimer: NodeJS.Timeout | undefined;
  readonly #stopResting: (() => void) | undefined;
  /** Called once when the connection closes, for any reason. */
  onClose: (() => void) | undefined;

  constructor(private readonly options: MultiplexedConnectionOptions) {
    this.#stopResting = options.activity?.add({ rest: () => this.#rest() });
  }

  get ready(): boolean {
    return this.#connection?.socket.upSince != null;
  }

  /** Whether the connection was signed in with an earlier password than new ones are. */
  get isOutdated(): boolean {
    return this.#connection?.isOutdated ?? false;
  }

  /** The connection's id at the server, if the handshake requested it and the connection is up, else null. */
  get clientId(): string | null {
    return this.#connection?.socket.clientId ?? null;
  }

  /** Commands waiting or unanswered, including commands given up. */
  get pending(): number {
    let sum = this.#queue.waiting + (this.#connection?.inFlight ?? 0);
    for (const connection of this.#replaced) sum += connection.inFlight;
    return sum;
  }

  /** Starts to connect, if there is neither a connection nor an attempt at one. */
  open(): void {
    if (!this.#connection && !this.closed && !this.#retry) this.#connect();
  }

  /** Ends the pause before the next attempt to connect, because the server is at another address or back. */
  retryNow(): void {
    this.#attempts = 0;
    if (!this.#retry || this.closed) return;
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#connect();
  }

  /** Sends commands in order: see {@link CommandBatch}. The deadline is by default `timeout` from now. */
  send(
    commands: readonly Command[],
    receiver: Receiver,
    deadline?: number,
    extraOf?: (index: number) => number,
  ): void {
    const now = performance.now();
    const batch = new CommandBatch(commands, receiver, deadline ?? now + this.options.timeout, extraOf);
    const rejection = this.#rejectionOf(batch);
    if (rejection) {
      batch.failRest(rejection);
      return;
    }
    this.#queue.add(batch);
    this.#used();
    this.#arm(batch.deadline);
    if (!this.ready) this.open();
    else if (this.#isAlone(batch, now)) this.#flush(now);
    else this.#schedule();
  }

  /** Closes the connection. Written commands fail as `unknown`, the others as `unsent`. */
  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.#stopResting?.();
    clearTimeout(this.#retry);
    clearTimeout(this.#idleTimer);
    const message = "the connection to Redis was closed";
    for (const connection of this.#replaced) connection.close(message);
    this.#spare?.close(message);
    this.#spare = null;
    this.#connection?.close(message);
    this.#connection = null;
    this.#failWaiting(new UpstreamFailure("closing", message));
    clearTimeout(this.#timer);
    this.onClose?.();
  }

  #used(): void {
    const { idle } = this.options;
    if (idle === undefined) return;
    this.#usedAt = performance.now();
    this.#idleTimer ??= setTimeout(this.#onIdle, idle, idle).unref();
  }

  /** Rests if the connection was not used for `idle` ms. Otherwise waits for the remaining time. */
  #onIdle = (idle: number): void => {
    const left = this.pending > 0 ? idle : this.#usedAt + idle - performance.now();
    if (left > 0) {
      this.#idleTimer = setTimeout(this.#onIdle, Math.ceil(left), idle).unref();
      return;
    }
    this.#idleTimer = undefined;
    this.#rest();
  };

  /** Closes the connection, or stops trying to open one, until the next command. */
  #rest(): void {
    clearTimeout(this.#retry);
    this.#retry = undefined;
    this.#attempts = 0;
    this.#spare?.close("the connection to Redis was not used");
    this.#spare = null;
    this.#connection?.close("the connection to Redis was not used");
    this.#connection = null;
    if (this.options.reconnect === "never") this.close();
  }

  #rejectionOf(batch: CommandBatch): UpstreamFailure | null {
    if (this.closed) return new UpstreamFailure("closing", "the connection to Redis was closed");
    if (this.#unreachedReason !== null || (this.#retry && this.options.reconnect === "wanted"))
      return this.#unreachable();
    // Short batches are written before the rest of long ones, so they are not refused because of one client's pipeline.
    const before = batch.isLong ? this.pending : this.pending - this.#queue.waitingInLong;
    if (before < this.options.maxQueuedCommands) return null;
    return new UpstreamFailure("full", "too many commands are waiting for Redis (setting maxQueuedCommands)");
  }

  #connect(): void {
    const handler: InFlightConnectionHandler = {
      onWritable: () => this.#schedule(),
      onSendable: (batch) => {
        if (this.#queue.wake(batch)) this.#schedule();
      },
      onLarge: (size) => this.#heldUp(connection, size),
      onCrowded: () => this.#repeatReads(connection),
      onUnused: () => this.#unused(connection),
      onLeave: () => this.#leave(connection),
      onDown: (reason) => {
        if (connection === this.#spare) this.#spare = null;
        else if (this.#replaced.delete(connection)) this.#failBroken();
        else this.#lost(connection, reason);
      },
    };
    // A lent connection may be in the middle of a transaction, so it is not signed in again.
    const renews = this.options.reconnect !== "never";
    const connection = new InFlightConnection(this.options, this.options.timeout, handler, renews);
    this.#connection = connection;
    connection.socket.open();
  }

  /** A large reply has begun. Later commands, and reads that would wait for long, go to another connection. */
  #heldUp(connection: InFlightConnection, size: number): boolean {
    // Only one client uses a lent connection.
    if (this.options.reconnect === "never") return true;
    if (!connection.isReplaced) {
      if (connection !== this.#connection || this.#replaced.size >= MAX_REPLACED) return false;
      this.#replaced.add(connection);
      connection.isReplaced = true;
      this.#connection = this.#spare;
      this.#spare = null;
      if (this.#connection) this.#connection.isReplaced = false;
      else this.#connect();
    }
    if (size > SOON_OVER) this.#repeatReads(connection);
    else connection.readsTimer = setTimeout(() => this.#repeatReads(connection), READS_WAIT).unref();
    this.#schedule();
    return true;
  }

  /** Sends the reads that wait on a replaced connection again, on the current one. */
  #repeatReads(connection: InFlightConnection): void {
    if (!this.#replaced.has(connection)) return;
    for (const batch of connection.takeReads()) {
      this.options.counters.repeated++;
      this.#queue.add(batch);
    }
    this.#schedule();
  }

  /** Called when no reply is awaited on a replaced connection. Keeps it as the spare one, or closes it, now or in #expire. */
  #unused(connection: InFlightConnection): void {
    if (this.closed || !this.#replaced.has(connection)) return;
    // A reply to a cancelled command is still to come, and may be large too.
    if (connection.inFlight > 0 || connection.isLeft) {
      this.#replaced.delete(connection);
      connection.close("the connection to Redis was replaced");
    } else if (!this.#spare) {
      this.#replaced.delete(connection);
      this.#spare = connection;
    }
  }

  /** Called when the address leads to another server. Later commands go there. Commands in flight get their replies here. */
  #leave(connection: InFlightConnection): void {
    connection.isLeft = true;
    if (connection === this.#spare) {
      this.#spare = null;
      connection.close("the connection to Redis was replaced");
    } else if (connection !== this.#connection) return;
    else if (this.options.reconnect === "never") {
      this.isLeft = true;
      if (this.pending === 0) this.close();
    } else {
      this.#connection = null;
      this.#replaced.add(connection);
      connection.isReplaced = true;
      if (!connection.isAwaited) this.#unused(connection);
      this.#connect();
    }
  }

  /** Whether no other batch is in flight, nor likely to come in this iteration of the event loop: it is then written at once. */
  #isAlone(batch: CommandBatch, now: number): boolean {
    if (this.#flushing || this.#lastBatchCount > 1 || this.#connection!.inFlight > 0) return false;
    return !batch.receiver.cancelled && batch.deadline > now;
  }

  #schedule(): void {
    if (this.#flushing || this.#queue.waiting === 0) return;
    this.#flushing = true;
    // After the poll phase: by then every request that was readable in this iteration has been read.
    setImmediate(this.#flushQueued);
  }

  #flushQueued = (): void => {
    this.#flushing = false;
    this.#flush(performance.now());
  };

  #flush(now: number): void {
    const connection = this.#connection;
    if (!connection?.isWritable) return;
    const chunks: Buffer[] = [];
    const failed: [Receiver, UpstreamFailure, number][] = [];
    const cancelled: CommandBatch[] = [];
    let total = 0;
    this.#lastBatchCount = this.#queue.size;
    for (let batch = this.#queue.shift(); batch; batch = this.#queue.shift()) {
      if (batch.receiver.cancelled) {
        this.#queue.drop(batch);
        cancelled.push(batch);
        continue;
      }
      while (batch.canSendNextOn(connection)) {
        this.#queue.took(batch);
        if (batch.deadline <= now) failed.push(this.#takeExpired(batch));
        else {
          const bytes = connection.take(batch, now);
          chunks.push(bytes);
          total += bytes.length;
        }
      }
      this.#queue.rest(batch);
    }
    this.options.counters.commands += chunks.length;
    if (chunks.length > 0) connection.socket.write(chunks, total);
    // Not before the write, since a receiver may close the connection.
    for (const [receiver, failure, tag] of failed) receiver.onFailure(failure, tag);
    for (const batch of cancelled) batch.failRest(CANCELLED);
  }

  /** One timer serves all deadlines. */
  #arm(due: number): void {
    if (due >= this.#due - MIN_TIMER_INTERVAL) return;
    clearTimeout(this.#timer);
    this.#due = due;
    const wait = Math.min(Math.max(MIN_TIMER_INTERVAL, Math.ceil(due - performance.now())), 0x7fffffff);
    // Poll once more first: if this process was held up, replies that came in time may still be unread.
    // The timer need not keep the process alive: the connection does so while a reply is awaited.
    this.#timer = setTimeout(() => setImmediate(this.#expire), wait).unref();
  }

  #expire = (): void => {
    this.#due = Number.POSITIVE_INFINITY;
    if (this.closed) return;
    const now = performance.now();
    let due = Number.POSITIVE_INFINITY;
    const failed: [Receiver, UpstreamFailure, number][] = [];
    for (const connection of this.#replaced) due = Math.min(due, connection.expire(now, failed).due);
    const connection = this.#connection;
    const state = connection?.expire(now, failed);
    this.options.counters.timeouts += failed.length;
    const isSilent = state !== undefined && state.silentAt <= now;
    if (state) due = Math.min(due, state.due, isSilent ? due : state.silentAt);
    const dueWaiting = this.#queue.expire(now, (batch) => failed.push(this.#takeExpired(batch)));
    due = Math.min(due, dueWaiting);
    for (const [receiver, failure, tag] of failed) receiver.onFailure(failure, tag);
    if (this.closed) return;
    if (connection && connection === this.#connection && isSilent) this.#replace(connection);
    for (const connection of this.#replaced) {
      if (connection.isAwaited) continue;
      this.#replaced.delete(connection);
      connection.close("the connection to Redis stopped responding");
    }
    if (due < Number.POSITIVE_INFINITY) this.#arm(due);
  };

  /** Takes the batch's next command, whose deadline is over. */
  #takeExpired(batch: CommandBatch): [Receiver, UpstreamFailure, number] {
    const { tag, receiver } = batch;
    batch.take();
    this.options.counters.timeouts++;
    const failure = this.ready
      ? new UpstreamFailure("unreachable", "Redis accepts no commands at present")
      : this.#unreachable();
    return [receiver, failure, tag];
  }

  #replace(connection: InFlightConnection): void {
    this.options.counters.lost++;
    this.#lastError = "it stopped responding";
    if (this.options.reconnect === "never") {
      this.close();
      return;
    }
    this.#replaced.add(connection);
    this.#connection = null;
    if (this.options.reconnect === "always" || this.#queue.waiting > 0) this.#connect();
  }

  #unreachable(): UpstreamFailure {
    const unreached = this.#unreachedReason;
    return new UpstreamFailure(
      unreached === null ? "unreachable" : "unreached",
      `Redis could not be reached: ${unreached ?? this.#lastError}`,
    );
  }

  get #unreachedReason(): string | null {
    return this.options.unreachedReason?.() ?? null;
  }

  #lost(connection: InFlightConnection, reason: string): void {
    this.#connection = null;
    this.#lastError = reason;
    if (this.closed) return;
    this.#failBroken();
    if (this.closed) return;
    const { upSince } = connection.socket;
    const wasStable = upSince !== null && performance.now() - upSince >= MIN_STABLE_TIME;
    if (upSince !== null) this.#attempts = 0;
    const { reconnect } = this.options;
    if (reconnect === "never") {
      this.#failWaiting(this.#unreachable());
      this.close();
      return;
    }
    const longest = Math.min(MAX_BACKOFF, INITIAL_BACKOFF * 2 ** this.#attempts++);
    const wait = wasStable ? 0 : longest * (0.5 + Math.random() / 2);
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (reconnect === "always") this.#connect();
    }, wait);
    if (reconnect === "wanted") this.#retry.unref();
    if (reconnect === "wanted" || this.#unreachedReason !== null) this.#failWaiting(this.#unreachable());
  }

  /** Fails the waiting commands of batches that lost a command with their connection. */
  #failBroken(): void {
    const message =
      "not sent, because the connection to Redis was lost with earlier commands of the same batch";
    this.#failWaiting(new UpstreamFailure("unreachable", message), ({ isBroken }) => isBroken);
  }

  /** Fails the waiting commands of the batches that `which` selects, by default of all. */
  #failWaiting(failure: UpstreamFailure, which = (_: CommandBatch) => true): void {
    for (const batch of this.#queue.remove(which)) batch.failRest(failure);
  }
}

import { isRead } from "../commands/command-info.js";
import type { Command } from "../resp/command.js";
import type { DropReason, LargeReply } from "../resp/framer.js";
import { isError } from "../resp/replies.js";
import { Fifo } from "../util/fifo.js";
import { CommandBatch } from "./command-batch.js";
import { authErrorOf, type Login } from "./credentials/login.js";
import { type Receiver, type ReplyStream, UpstreamFailure } from "./failure.js";
import { RedisSocket, type RedisSocketOptions } from "./redis-socket.js";

/** The failure of a command whose reply does not fit in memory: see `maxBufferedBytes`. */
export const NO_ROOM = new UpstreamFailure(
  "no-room",
  "the gateway has no memory left for the reply of Redis",
);
const DROPPED: Readonly<Record<DropReason, UpstreamFailure>> = {
  "too-large": new UpstreamFailure("too-large", "the reply of Redis is larger than the setting maxReplySize"),
  "no-room": NO_ROOM,
  "over-budget": new UpstreamFailure(
    "over-budget",
    "the reply of Redis must be kept whole, and is larger than half of the setting maxBufferedBytes",
  ),
};

/** A reply of this many bytes holds up what comes behind it: the connection is replaced. */
const HOLDS_UP = 4 * 1_024 * 1_024;
/** Bytes buffered for a reader above which reading pauses, if it may, and below which it resumes. */
const PAUSED_ABOVE = 4 * 1_024 * 1_024;
const RESUMED_BELOW = 1 * 1_024 * 1_024;
/** Both limits while memory is tight, so that more replies fit. Any reply above them then holds up what comes behind it. */
const TIGHT_PAUSED_ABOVE = 256 * 1_024;
const TIGHT_RESUMED_BELOW = 64 * 1_024;

/** A command that was written. */
interface Written {
  readonly batch: CommandBatch;
  readonly tag: number;
  readonly command: Command;
  deadline: number;
  /** Replies to discard before its own. */
  leading: number;
  /** Null once the command was given up; its reply is then consumed in its place. */
  receiver: Receiver | null;
  /** The receiver of the reply's chunks, once the reply has begun. */
  stream: ReplyStream | null;
}

export interface InFlightConnectionHandler {
  /** Called when more may be written. */
  onWritable(): void;
  /** Called when a large reply begins. Returns whether later commands use another connection, so that a pause does not delay them. */
  onLarge(size: number): boolean;
  /** The connection should be paused for a slow reader, and others wait on it. */
  onCrowded(): void;
  /** Called when no reply is awaited on a connection that was replaced. */
  onUnused(): void;
  /** Called when the address leads to another server. */
  onLeave(): void;
  /** A batch may send its next chunk. */
  onSendable(batch: CommandBatch): void;
  /** The connection was lost or could not be opened. Commands written on it have failed already. */
  onDown(reason: string): void;
}

/** One connection to Redis and the commands written on it, whose replies come back in order. */
export class InFlightConnection {
  readonly socket: RedisSocket;
  readonly #written = new Fifo<Written>();
  /** Start of the current wait for replies, in ms by the monotonic clock. */
  #waitingSince = 0;
  /** Whether the current reply is a large one that delays the replies behind it. */
  #isHeldUp = false;
  /** Whether every command behind the current reply has to wait for that reply's reader. */
  #delaysAll = false;

  /**
   * @param silence time in ms without data from Redis, with a command overdue, after which the connection counts as dead
   * @param renews whether the connection is signed in again whenever its credentials change
   */
  constructor(
    private readonly options: RedisSocketOptions,
    private readonly silence: number,
    private readonly handler: InFlightConnectionHandler,
    renews: boolean,
  ) {
    this.socket = new RedisSocket(options, {
      onUp: () => handler.onWritable(),
      ...(renews && { onLogin: (login: Login) => this.#signIn(login) }),
      onDrain: () => handler.onWritable(),
      onReply: (reply, dropReason) => this.#reply(reply, dropReason),
      onLarge: (first, size) => this.#large(first, size),
      onLeave: () => handler.onLeave(),
      onDown: (reason) => {
        this.#forget(`the connection to Redis was lost: ${reason}`);
        handler.onDown(reason);
      },
    });
  }

  /** Whether the connection was signed in with an earlier password than new ones are. */
  get isOutdated(): boolean {
    const { login } = this.socket;
    return login !== null && this.options.credentials!.isOutdated(login);
  }

  get isWritable(): boolean {
    return this.socket.upSince !== null && !this.socket.blocked;
  }

  /** Whether another connection has taken its place, for a reason other than silence. */
  isReplaced = false;
  /** Whether the address leads to another server, so that it is not used again. */
  isLeft = false;

  /** Runs until reads behind the current large reply are sent again. */
  readsTimer: NodeJS.Timeout | undefined;

  /** Commands that have no reply yet, including commands given up. */
  get inFlight(): number {
    return this.#written.size;
  }

  /** Takes the batch's next command. Its bytes are to be written after those of the commands taken before. */
  take(batch: CommandBatch, now: number): Buffer {
    if (this.#written.size === 0) this.#waitingSince = now;
    const { tag, deadline, receiver } = batch;
    const command = batch.take();
    const { bytes, leading } = command;
    batch.wrote(bytes.length);
    batch.connection = this;
    this.#written.push({ batch, tag, command, deadline, leading, receiver, stream: null });
    return bytes;
  }

  /**
   * Gives up commands whose deadline is over and adds them to `failed`, without calling their receivers. Returns the next
   * deadline, and the time from which Redis counts as silent if it sends no more.
   */
  expire(now: number, failed: [Receiver, UpstreamFailure, number][]): { due: number; silentAt: number } {
    let due = Number.POSITIVE_INFINITY;
    const first = this.#written.peek();
    const streaming = first?.stream ? first : null;
    for (const entry of this.#written) {
      if (!entry.receiver) continue;
      // Commands that wait for a large reply also have the time that this reply takes.
      if (streaming && this.#waitsFor(streaming, entry)) continue;
      if (entry.deadline > now) due = Math.min(due, entry.deadline);
      else {
        failed.push([
          entry.receiver,
          new UpstreamFailure("timeout", "Redis did not reply in time"),
          entry.tag,
        ]);
        entry.receiver = null;
      }
    }
    const oldest = this.#written.peek();
    const isOverdue = oldest !== undefined && !oldest.receiver;
    const receivedAt = this.socket.paused ? now : Math.max(this.#waitingSince, this.socket.receivedAt);
    if (oldest?.stream) {
      if (receivedAt + this.silence > now) due = Math.min(due, receivedAt + this.silence);
      else
        this.#failStream(
          oldest,
          new UpstreamFailure("timeout", "Redis sent only a part of its reply in time"),
        );
    }
    return { due, silentAt: isOverdue ? receivedAt + this.silence : Number.POSITIVE_INFINITY };
  }

  get isAwaited(): boolean {
    for (const { receiver, stream } of this.#written) if (receiver || stream) return true;
    return false;
  }

  /** Closes the connection without calling `onDown`. Commands written on it fail with this message. */
  close(message: string): void {
    this.socket.close();
    this.#forget(message);
  }

  /** Gives up the single reads behind a large reply, once each. Returns them, to be sent elsewhere. */
  takeReads(): CommandBatch[] {
    const batches: CommandBatch[] = [];
    if (!this.#isHeldUp) return batches;
    // The first one has no receiver, but a stream.
    for (const entry of this.#written) {
      const { receiver, batch, deadline } = entry;
      const command = batch.single;
      if (!receiver || receiver.cancelled || !command || batch.isRepeated || !isRead(command)) continue;
      entry.receiver = null;
      const again = new CommandBatch([command], receiver, deadline);
      again.isRepeated = true;
      batches.push(again);
    }
    return batches;
  }

  /** Signs the connection in again, between other commands. If Redis refuses, it stays signed in as it was. */
  #signIn(login: Login): void {
    const now = performance.now();
    const receiver: Receiver = {
      cancelled: false,
      onReply: (reply) => {
        if (isError(reply)) this.options.credentials?.refused(login, authErrorOf(reply));
        else this.socket.login = login;
      },
      onFailure() {},
    };
    const bytes = this.take(new CommandBatch([login.auth], receiver, now + this.silence), now);
    this.socket.write([bytes], bytes.length);
  }

  /** Whether commands of other batches wait behind the first one. */
  #delaysOthers({ batch }: Written): boolean {
    for (const entry of this.#written)
      if (entry.receiver && entry.batch !== batch && entry.command.name !== "AUTH") return true;
    return false;
  }

  /** Whether the deadline of a command stands still while the first one's reply is streamed. */
  #waitsFor(first: Written, { batch }: Written): boolean {
    return this.#delaysAll || batch === first.batch;
  }

  /**
   * Stops reading while too much waits for a slow reader. Commands of others do not wait for it, with one exception: when
   * memory is tight, the reply would be cut, and only a read can be repeated.
   */
  #pauseFor(entry: Written, isTight: boolean): void {
    if (this.socket.paused) return;
    if (this.#delaysOthers(entry)) {
      if (!isTight) return;
      this.handler.onCrowded();
      if (this.#delaysOthers(entry)) {
        if (isRead(entry.command)) return;
        this.#delaysAll = true;
      }
    }
    this.socket.pause();
    const below = isTight ? TIGHT_RESUMED_BELOW : RESUMED_BELOW;
    entry.stream!.whenBelow(below, () => this.socket.resume());
  }

  #shift(): void {
    this.#written.shift();
    if (this.isReplaced && !this.isAwaited) this.handler.onUnused();
  }

  #large(first: number, size: number): LargeReply | null {
    const entry = this.#written.peek();
    if (!entry || entry.leading > 0) return null;
    const { receiver, tag } = entry;
    if (receiver) {
      entry.stream = receiver.onLarge?.(tag, first) ?? null;
      if (!entry.stream) return null;
      entry.receiver = null;
    }
    let written = 0;
    let apart = false;
    const holdUp = () => {
      this.#isHeldUp = true;
      apart = this.handler.onLarge(size);
    };
    if (size >= HOLDS_UP && entry.stream) holdUp();
    return {
      write: (bytes) => {
        // The reply to a command that was given up is dropped.
        const { stream } = entry;
        if (!stream) return;
        const backlog = stream.write(bytes);
        written += bytes.length;
        const isTight = this.options.budget?.isTight ?? false;
        const isBehind = backlog > (isTight ? TIGHT_PAUSED_ABOVE : PAUSED_ABOVE);
        if (!this.#isHeldUp && (written >= HOLDS_UP || (isTight && isBehind))) holdUp();
        if (apart && isBehind) this.#pauseFor(entry, isTight);
      },
      onTooLarge: () => this.#failStream(entry, DROPPED["too-large"]),
      end: () => {
        // The next replies on this connection may be for other commands.
        this.socket.resume();
        const until = performance.now() + this.silence;
        for (const next of this.#written)
          if (this.#waitsFor(entry, next)) next.deadline = Math.max(next.deadline, until);
        this.#delaysAll = false;
        this.#isHeldUp = false;
        clearTimeout(this.readsTimer);
        const { stream } = entry;
        entry.stream = null;
        this.#shift();
        if (entry.batch.settled(entry.command.bytes.length)) this.handler.onSendable(entry.batch);
        stream?.end(null);
      },
    };
  }

  #failStream(entry: Written, failure: UpstreamFailure): void {
    const { stream } = entry;
    entry.stream = null;
    stream?.end(failure);
  }

  #reply(reply: Buffer | null, dropReason: DropReason): void {
    const entry = this.#written.peek();
    if (!entry) {
      this.socket.drop("a reply without a command");
      return;
    }
    if (entry.leading > 0) {
      entry.leading--;
      return;
    }
    this.#shift();
    const { batch, command, receiver, tag } = entry;
    if (batch.settled(command.bytes.length)) this.handler.onSendable(batch);
    if (!receiver) return;
    const { explain } = this.options;
    if (reply) receiver.onReply(explain && isError(reply) ? explain(reply) : reply, tag);
    else receiver.onFailure(DROPPED[dropReason], tag);
  }

  #forget(message: string): void {
    const entries = [...this.#written.drain()];
    for (const { batch, command } of entries) {
      batch.isBroken = true;
      if (batch.settled(command.bytes.length)) this.handler.onSendable(batch);
    }
    const failure = new UpstreamFailure("lost", message);
    for (const entry of entries) {
      this.#failStream(entry, failure);
      entry.receiver?.onFailure(failure, entry.tag);
    }
  }
}

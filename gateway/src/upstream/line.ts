import { type Receiver, type ReplyStream, UpstreamFailure } from "./failure.js";
import { Fifo } from "./fifo.js";
import type { LargeReply } from "./framer.js";
import { Link, type LinkOptions } from "./link.js";
import type { Lot } from "./lot.js";

const TOO_LARGE = new UpstreamFailure("too-large", "the reply of Redis is larger than the gateway passes on");
/** A reply for which there is no memory: see `maxBufferedBytes`. */
export const NO_ROOM = new UpstreamFailure(
  "no-room",
  "the gateway has no memory left for the reply of Redis",
);

/** A command that was written. */
interface Written {
  readonly lot: Lot;
  readonly tag: number;
  readonly bytes: number;
  readonly deadline: number;
  /** Replies that come before its own and are nobody's. */
  leading: number;
  /** Null once the command was given up; its reply is then consumed in its place. */
  receiver: Receiver | null;
  /** What takes its reply as it comes, once that has begun. */
  stream: ReplyStream | null;
}

/** Whoever writes on a line. */
export interface LineUser {
  /** More may be written. */
  onWritable(): void;
  /** A lot may take another turn. */
  onTurn(lot: Lot): void;
  /** The connection ended by itself or could not be had; what was written on it has failed already. */
  onDown(trouble: string): void;
}

/** One connection to Redis and the commands written on it, whose replies come back in order. */
export class Line {
  readonly #link: Link;
  readonly #user: LineUser;
  readonly #written = new Fifo<Written>();
  readonly #silence: number;
  /** Since when a reply has been waited for without a break. */
  #waitingSince = 0;

  /** @param silence how long Redis may say nothing while a command waits in vain, in ms */
  constructor(options: LinkOptions, silence: number, user: LineUser) {
    this.#silence = silence;
    this.#user = user;
    this.#link = new Link(options, {
      onUp: () => user.onWritable(),
      onDrain: () => user.onWritable(),
      onReply: (reply, noRoom) => this.#reply(reply, noRoom),
      onLarge: (first) => this.#large(first),
      onDown: (trouble) => {
        this.#forget(`the connection to Redis was lost: ${trouble}`);
        user.onDown(trouble);
      },
    });
  }

  /** When the connection came up, or null. */
  get upSince(): number | null {
    return this.#link.upSince;
  }

  /** The number by which the server knows the connection, where that was asked for; else null. */
  get clientId(): string | null {
    return this.#link.clientId;
  }

  get isWritable(): boolean {
    return this.#link.upSince !== null && !this.#link.blocked;
  }

  /** Commands that have no reply yet, those given up included. */
  get unanswered(): number {
    return this.#written.size;
  }

  open(): void {
    this.#link.open();
  }

  /** Takes the lot's next command; its bytes are to be written after those of the commands taken before. */
  take(lot: Lot, now: number): Buffer {
    if (this.#written.size === 0) this.#waitingSince = now;
    const { tag, deadline, receiver } = lot;
    const { bytes, leading } = lot.take();
    lot.wrote(bytes.length);
    this.#written.push({ lot, tag, bytes: bytes.length, deadline, leading, receiver, stream: null });
    return bytes;
  }

  write(chunks: readonly Buffer[], total: number): void {
    this.#link.write(chunks, total);
  }

  /**
   * Gives up what has to be answered by now, telling nobody: it is added to `failed`. Returns when the next is due, and
   * since when Redis has been silent for too long, or will have been if it says nothing more.
   */
  expire(now: number, failed: [Receiver, UpstreamFailure, number][]): { due: number; silentAt: number } {
    let due = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#written.size; i++) {
      const entry = this.#written.peek(i)!;
      if (!entry.receiver) continue;
      if (entry.deadline > now) due = Math.min(due, entry.deadline);
      else {
        failed.push([
          entry.receiver,
          new UpstreamFailure("timeout", "Redis did not answer in time"),
          entry.tag,
        ]);
        entry.receiver = null;
      }
    }
    const oldest = this.#written.peek();
    const isOverdue = oldest !== undefined && !oldest.receiver;
    const heard = Math.max(this.#waitingSince, this.#link.heardAt);
    if (oldest?.stream) {
      if (heard + this.#silence > now) due = Math.min(due, heard + this.#silence);
      else
        this.#failStream(
          oldest,
          new UpstreamFailure("timeout", "Redis did not go on with its reply in time"),
        );
    }
    return { due, silentAt: isOverdue ? heard + this.#silence : Number.POSITIVE_INFINITY };
  }

  /** Whether anybody waits for a reply. */
  get isAwaited(): boolean {
    for (let i = 0; i < this.#written.size; i++) {
      const { receiver, stream } = this.#written.peek(i)!;
      if (receiver || stream) return true;
    }
    return false;
  }

  /** Ends the connection in silence; what was written fails with this message. */
  close(message: string): void {
    this.#link.close();
    this.#forget(message);
  }

  #large(first: number): LargeReply | null {
    const entry = this.#written.peek();
    if (!entry || entry.leading > 0) return null;
    const { receiver, tag } = entry;
    if (receiver) {
      entry.stream = receiver.onLarge?.(tag, first) ?? null;
      if (!entry.stream) return null;
      entry.receiver = null;
    }
    return {
      // Of a command that was given up nothing is kept.
      write: (bytes) => entry.stream?.write(bytes),
      onTooLarge: () => this.#failStream(entry, TOO_LARGE),
      end: () => {
        this.#written.shift();
        if (entry.lot.answered(entry.bytes)) this.#user.onTurn(entry.lot);
        entry.stream?.end();
      },
    };
  }

  #failStream(entry: Written, failure: UpstreamFailure): void {
    const { stream } = entry;
    entry.stream = null;
    stream?.fail(failure);
  }

  #reply(reply: Buffer | null, noRoom: boolean): void {
    const entry = this.#written.peek();
    if (!entry) {
      this.#link.drop("it sent a reply that nobody asked for");
      return;
    }
    if (entry.leading > 0) {
      entry.leading--;
      return;
    }
    this.#written.shift();
    const { lot, receiver, tag } = entry;
    if (lot.answered(entry.bytes)) this.#user.onTurn(lot);
    if (!receiver) return;
    if (reply) receiver.onReply(reply, tag);
    else receiver.onFailure(noRoom ? NO_ROOM : TOO_LARGE, tag);
  }

  #forget(message: string): void {
    const entries: Written[] = [];
    for (let entry = this.#written.shift(); entry; entry = this.#written.shift()) entries.push(entry);
    for (const { lot, bytes } of entries) {
      lot.isBroken = true;
      if (lot.answered(bytes)) this.#user.onTurn(lot);
    }
    const failure = new UpstreamFailure("lost", message);
    for (const entry of entries) {
      this.#failStream(entry, failure);
      entry.receiver?.onFailure(failure, entry.tag);
    }
  }
}

import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { BufferBudget } from "../util/buffer-budget.js";
import { writeQueueSize } from "../util/write-queue.js";

/** Bodies are written in slices of this many bytes, so that the progress of a slow reader can be seen. */
const SLICE = 128 * 1_024;
/** Time in ms after which a body that is being sent lets other requests proceed. */
const MAX_SEND_TIME = 2;

/** The body of a response, produced as the client reads it. */
export interface BodySource {
  /** Returns the next pieces, which are written together. Null at the end. Undefined if there are none until the source calls `send`. */
  next(): readonly Buffer[] | null | undefined;
  /** Called after the pieces of one call of {@link next} were written, in the order of the calls. Their memory may be reused. */
  written?(): void;
  /** Called if the connection closes before the last byte. */
  cancel?(): void;
}

/** A complete body, sent in slices. */
export class WholeBody implements BodySource {
  #at = 0;

  constructor(readonly bytes: Buffer) {}

  next(): readonly Buffer[] | null {
    if (this.#at === this.bytes.length) return null;
    const from = this.#at;
    this.#at = Math.min(from + SLICE, this.bytes.length);
    return [this.bytes.subarray(from, this.#at)];
  }
}

/** Writes responses to a socket as fast as the client takes them. Bytes that the client has not read count in the budget. */
export class ResponseSender {
  #source: BodySource | null = null;
  /** Called after pieces of the current body were written. */
  #onWritten = () => this.#sendAfterWrite();
  #sendsSoon = false;
  /** Time in ms spent on sending since the sender last let other requests proceed. */
  #sendTime = 0;
  #taken = 0;
  /** Bytes of the current write that the kernel had not accepted at the last check, and the time of the last progress. */
  #queued = 0;
  #takenAt = 0;
  /** Bytes taken from the budget. They are given back when the client has taken all that was written. */
  #counted = 0;

  /** @param onSent called when the last byte of a body was given to the socket */
  constructor(
    private readonly socket: Socket,
    private readonly budget: BufferBudget,
    private readonly onSent: () => void,
  ) {}

  /** Bytes that the client has not taken yet. */
  get backlog(): number {
    return this.socket.writableLength;
  }

  /** Whether the socket's write buffer is full, since the client reads too slowly. */
  get isBehind(): boolean {
    return this.socket.writableLength >= this.socket.writableHighWaterMark;
  }

  /** Whether the client took bytes in the last `within` ms, as seen by calls of this method. */
  progresses(now: number, within: number): boolean {
    const taken = this.socket.bytesWritten - this.backlog;
    const queued = writeQueueSize(this.socket);
    if (this.#taken !== taken || this.#queued !== queued) {
      this.#taken = taken;
      this.#queued = queued;
      this.#takenAt = now;
    }
    return now - this.#takenAt <= within;
  }

  /**
   * Reserves bytes of the budget for a body, until the client has taken it. Returns false, and reserves none, if more than
   * this share of the budget would then be in use.
   */
  reserve(bytes: number, share: number): boolean {
    if (!this.budget.take(bytes, share)) return false;
    this.#counted += bytes;
    return true;
  }

  /**
   * Counts bytes that the client has not taken yet in the budget. Resets the connection and returns false if more than this
   * share of the budget would then be in use.
   */
  countBacklog(share = 1): boolean {
    const socket = this.socket;
    // Corked bytes were not passed to the kernel yet. The source of a body counts its own bytes.
    if (socket.destroyed || socket.writableCorked > 0 || this.#source) return true;
    const more = socket.writableLength - this.#counted;
    if (more <= 0) this.#release(-more);
    else if (this.budget.take(more, share)) this.#counted += more;
    else {
      this.abort();
      return false;
    }
    return true;
  }

  /** Gives back the bytes of the budget if the client has taken all that was written. */
  uncount(): void {
    if (this.#counted > 0 && !this.#source && this.socket.writableLength === 0) this.#release();
  }

  /** Closes the connection at once, so that the client can't mistake a part of the response for the whole. */
  abort(): void {
    // Without chunks or a length, only a reset shows that the body is incomplete.
    if (this.socket instanceof TLSSocket) this.socket.destroy();
    else this.socket.resetAndDestroy();
  }

  /** Writes the head of a response, and starts to send its body. */
  begin(head: Buffer, source: BodySource): void {
    this.#source = source;
    this.#onWritten = () => {
      source.written?.();
      this.#sendAfterWrite();
    };
    this.#takenAt = performance.now();
    this.socket.cork();
    this.socket.write(head);
    this.send();
    this.socket.uncork();
    if (this.isBehind) this.countBacklog();
  }

  /** Sends more of the body, as much as the client takes now. */
  send(): void {
    const socket = this.socket;
    const source = this.#source;
    if (!source || this.#sendsSoon) return;
    const begun = performance.now();
    let now = begun;
    while (socket.writableLength < SLICE) {
      const part = source.next();
      if (part === undefined) break;
      if (part === null) {
        this.#source = null;
        this.onSent();
        return;
      }
      socket.cork();
      for (const piece of part) socket.write(piece, piece === part.at(-1) ? this.#onWritten : undefined);
      socket.uncork();
      now = performance.now();
      if (this.#sendTime + now - begun > MAX_SEND_TIME) {
        this.sendSoon();
        return;
      }
    }
    this.#sendTime += now - begun;
  }

  /** Sends more of the body in the next iteration of the event loop. */
  sendSoon(): void {
    if (this.#sendsSoon) return;
    this.#sendsSoon = true;
    setImmediate(this.#sendMore);
  }

  /** Cancels the current body, and gives back the bytes of the budget. To be called when the connection has closed. */
  close(): void {
    this.#source?.cancel?.();
    this.#source = null;
    this.#release();
  }

  #sendMore = (): void => {
    this.#sendsSoon = false;
    this.#sendTime = 0;
    this.send();
  };

  #sendAfterWrite(): void {
    if (!this.socket.destroyed) this.send();
    this.uncount();
  }

  #release(bytes = this.#counted): void {
    if (bytes > 0) this.budget.give(bytes);
    this.#counted -= bytes;
  }
}

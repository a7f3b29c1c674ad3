import type { BodySource, ResponseSender } from "../http/response-sender.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import { CRLF } from "../util/bytes.js";
import { Fifo } from "../util/fifo.js";
import type { ReplyEncoder } from "./json-encoder.js";

/** Bytes of replies that are encoded at a time. */
const SLICE = 64 * 1_024;
/** Fewer bytes than this are sent together with what follows in the same iteration of the event loop. */
const LITTLE = 16 * 1_024;
/** Bytes that are taken from the budget for what is encoded and not yet written. */
const ENCODED = 256 * 1_024;
/** The share of the budget that replies may use: the rest is for requests. */
export const REPLY_SHARE = 7 / 8;

/** The end of a body in chunks. */
export const LAST_CHUNK = Buffer.from("0\r\n\r\n");

export interface ReplyBodyOptions {
  readonly encoder: ReplyEncoder;
  readonly budget: BufferBudget;
  /** Whether the body is sent in chunks. If not, it ends with the connection. */
  readonly chunked: boolean;
  readonly sender: Pick<ResponseSender, "send" | "sendSoon" | "abort">;
}

/**
 * The body of a response, made of replies from Redis. They are kept as Redis's own bytes, within the budget,
 * and encoded a slice at a time when the client takes more. If they don't fit, the response is cut.
 */
export class ReplyBody implements BodySource {
  readonly #parts = new Fifo<Buffer>();
  /** Encoded bytes that are not written yet. */
  readonly #leaving = new Fifo<Buffer>();
  /** Index of the next byte in the first part. */
  #at = 0;
  #backlog = 0;
  #taken = 0;
  /** Bytes of the budget that were taken for replies not written to this body yet. */
  #reserved: number;
  #ended = false;
  #finished = false;
  #cancelled = false;
  /** Bytes of the body so far, as the client reads it. */
  size = 0;
  #below = 0;
  #onBelow: (() => void) | null = null;

  private constructor(
    private readonly options: ReplyBodyOptions,
    reserved: number,
  ) {
    this.#taken = ENCODED + reserved;
    this.#reserved = reserved;
  }

  /** Creates a body. Returns null if the budget has no room for it and for `reserved` bytes that are about to be written. */
  static create(options: ReplyBodyOptions, reserved: number): ReplyBody | null {
    return options.budget.take(ENCODED + reserved, REPLY_SHARE) ? new ReplyBody(options, reserved) : null;
  }

  /** Takes over bytes of the budget that were taken for a reply that is about to be written. */
  takeOver(bytes: number): void {
    if (this.#cancelled) {
      this.options.budget.give(bytes);
      return;
    }
    this.#taken += bytes;
    this.#reserved += bytes;
  }

  /** Appends bytes of a reply. Returns how many are kept. */
  write(bytes: Buffer): number {
    if (this.#cancelled) return 0;
    const reserved = Math.min(this.#reserved, bytes.length);
    const more = bytes.length - reserved;
    if (more > 0 && !this.options.budget.take(more, REPLY_SHARE)) {
      this.abort();
      return 0;
    }
    this.#reserved -= reserved;
    this.#taken += more;
    this.#backlog += bytes.length;
    this.#parts.push(bytes);
    if (this.#backlog < LITTLE) this.options.sender.sendSoon();
    else this.options.sender.send();
    return this.#backlog;
  }

  /** Calls `listener` once fewer than `below` bytes are kept. */
  whenBelow(below: number, listener: () => void): void {
    this.#below = below;
    this.#onBelow = listener;
    this.#tellIfBelow();
  }

  #tellIfBelow(): void {
    if (!this.#onBelow || this.#backlog >= this.#below) return;
    const listener = this.#onBelow;
    this.#onBelow = null;
    listener();
  }

  /** Ends the body after the last reply. */
  end(): void {
    if (this.#cancelled) return;
    this.#ended = true;
    this.options.sender.send();
  }

  /** Ends the connection, so that the client sees that the body is not complete. */
  abort(): void {
    if (this.#cancelled) return;
    this.cancel();
    this.options.sender.abort();
  }

  cancel(): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    while (this.#parts.shift());
    this.#backlog = 0;
    this.options.budget.give(this.#taken);
    this.#taken = 0;
    this.#tellIfBelow();
  }

  next(): readonly Buffer[] | null | undefined {
    const { encoder, budget } = this.options;
    if (this.#finished) {
      this.cancel();
      return null;
    }
    if (this.#parts.size === 0) {
      if (!this.#ended) return undefined;
      this.#finished = true;
      encoder.end();
      const last = this.#framed(encoder.take());
      return this.options.chunked ? [...last, LAST_CHUNK] : last;
    }
    let encoded = 0;
    while (encoded < SLICE) {
      const part = this.#parts.peek();
      if (!part) break;
      const to = Math.min(part.length, this.#at + SLICE - encoded);
      encoder.write(part.subarray(this.#at, to));
      encoded += to - this.#at;
      this.#at = to;
      if (to < part.length) break;
      this.#parts.shift();
      this.#at = 0;
    }
    this.#backlog -= encoded;
    this.#taken -= encoded;
    budget.give(encoded);
    this.#tellIfBelow();
    const bytes = encoder.take();
    // Nothing was encoded yet: the bytes were half a length, or half a character.
    return bytes.length > 0 ? this.#framed(bytes) : this.next();
  }

  written(): void {
    const bytes = this.#leaving.shift();
    if (bytes) this.options.encoder.recycle(bytes);
  }

  #framed(bytes: Buffer): readonly Buffer[] {
    this.size += bytes.length;
    if (bytes.length === 0) return [];
    this.#leaving.push(bytes);
    return this.options.chunked
      ? [Buffer.from(`${bytes.length.toString(16)}\r\n`, "latin1"), bytes, CRLF]
      : [bytes];
  }
}

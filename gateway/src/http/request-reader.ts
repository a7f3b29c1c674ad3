import { CR, EMPTY, LF } from "../util/bytes.js";
import { BodyBuffer } from "./body-buffer.js";
import { ChunkedBody } from "./chunked-body.js";
import { HttpError, malformed } from "./http-error.js";
import { mayBecomeHead, type RequestHead, readHead } from "./request-head.js";

/** The longest head of a request, in bytes. */
const MAX_HEAD = 16 * 1_024;
/** Heads up to this many bytes are remembered: most clients send the same one again. */
const REMEMBERED = 1_024;
/** Heads up to this many bytes are compared byte by byte, which beats a call into native code. */
const SHORT = 256;

const HEAD_END = Buffer.from("\r\n\r\n");

/** Parses the bytes that a client sends into the heads and bodies of requests. */
export class RequestReader {
  /** Bytes received. Those from `#at` on are not parsed yet. */
  #input: Buffer = EMPTY;
  #at = 0;
  /** Bytes of a body of known length still to come. */
  #left = 0;
  #chunked: ChunkedBody | null = null;
  #body: BodyBuffer | null = null;
  #head: RequestHead | null = null;
  /** The bytes of the last head, the empty line included; none for a long one. */
  #headBytes: Buffer = EMPTY;

  /** The head of the present request. */
  get head(): RequestHead {
    return this.#head!;
  }

  /** Bytes received and not parsed yet. */
  get ahead(): number {
    return this.#input.length - this.#at;
  }

  /** Bytes of the present body still to be read, or null if the length is known only at its end. */
  get unread(): number | null {
    return this.#chunked && !this.#chunked.complete ? null : this.#left;
  }

  /** Appends bytes received. */
  add(chunk: Buffer): void {
    this.#input = this.ahead === 0 ? chunk : Buffer.concat([this.#input.subarray(this.#at), chunk]);
    this.#at = 0;
  }

  /** Drops what was received and not parsed. */
  clear(): void {
    this.#input = EMPTY;
    this.#at = 0;
    this.#body = null;
  }

  /**
   * Reads the head of the next request. Returns null if it has not arrived in full, or if nothing has.
   * @throws {HttpError} when it is invalid, or can't become valid
   */
  readHead(): RequestHead | null {
    const input = this.#input;
    // A line end before a request, which some clients send behind a body, is skipped (RFC 9112, 2.2).
    if (input[this.#at] === CR && input[this.#at + 1] === LF) this.#at += 2;
    const from = this.#at;
    if (from === input.length) {
      this.clear();
      return null;
    }
    const same = this.#endOfSameHead(input, from);
    const end = same > 0 ? same : input.indexOf(HEAD_END, from);
    if ((end < 0 ? input.length : end) - from > MAX_HEAD) throw tooLong(input, from);
    if (end < 0) {
      if (mayBecomeHead(input, from, input.length)) return null;
      throw malformed("the request line is malformed");
    }
    const head = same > 0 ? this.#head! : this.#parseHead(input, from, end);
    this.#at = end + HEAD_END.length;
    this.#left = head.length ?? 0;
    this.#chunked = head.length === null ? new ChunkedBody() : null;
    return head;
  }

  /** Returns the present body if it has arrived in full and has at most `max` bytes, else null. */
  takeBody(max: number): Buffer | null {
    const from = this.#at;
    const to = from + this.#left;
    if (this.#chunked || this.#left > max || to > this.#input.length) return null;
    this.#at = to;
    this.#left = 0;
    return this.#input.subarray(from, to);
  }

  /**
   * Begins to collect the present body, at most `max` bytes of it.
   * @param hold called with the bytes about to be allocated; false refuses the body
   */
  beginBody(max: number, hold?: (bytes: number) => boolean): void {
    this.#body = new BodyBuffer(this.#chunked ? max : Math.min(max, this.#left), hold);
  }

  /**
   * Collects what has arrived of the body, or drops it if {@link beginBody} was not called. Returns whether no more is needed:
   * it is complete, too long, or was refused.
   * @throws {HttpError} when it comes in chunks that are invalid
   */
  collectBody(): boolean {
    const body = this.#body;
    if (!body) return this.skipBody();
    const from = this.#at;
    if (this.#chunked) this.#at = this.#chunked.read(this.#input, from, body);
    else {
      this.#at = Math.min(this.#input.length, from + this.#left);
      this.#left -= this.#at - from;
      body.append(this.#input, from, this.#at);
    }
    return this.unread === 0 || body.overflown || body.refused;
  }

  /** Returns the collected body, or null if it is too long, or was refused or dropped. */
  endBody(): Buffer | null {
    const body = this.#body;
    this.#body = null;
    return !body || body.overflown || body.refused ? null : body.whole();
  }

  /** Drops what has arrived of the present body. Returns whether the next request can be read. */
  skipBody(): boolean {
    const dropped = Math.min(this.#left, this.ahead);
    this.#at += dropped;
    this.#left -= dropped;
    if (this.ahead === 0) this.clear();
    return this.unread === 0;
  }

  /** Returns where the head at `from` ends if its bytes are those of the last one, which then needs no parsing; else -1. */
  #endOfSameHead(input: Buffer, from: number): number {
    const last = this.#headBytes;
    const end = from + last.length;
    if (last.length === 0 || end > input.length) return -1;
    if (last.length > SHORT) return last.compare(input, from, end) === 0 ? end - HEAD_END.length : -1;
    for (let i = 0; i < last.length; i++) if (last[i] !== input[from + i]) return -1;
    return end - HEAD_END.length;
  }

  #parseHead(input: Buffer, from: number, end: number): RequestHead {
    const head = readHead(input, from, end);
    this.#head = head;
    const next = end + HEAD_END.length;
    this.#headBytes = next - from <= REMEMBERED ? Buffer.from(input.subarray(from, next)) : EMPTY;
    return head;
  }
}

/** The head is too long: because of its first line, or of all others. */
function tooLong(input: Buffer, from: number): HttpError {
  const line = input.indexOf(LF, from);
  if (line < 0 || line - from > MAX_HEAD) return new HttpError("the request target is too long", 414);
  return new HttpError("the request head is too large", 431);
}

import { CR, EMPTY, LF, SLASH } from "../util/bytes.js";
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

/** A target may begin with a number of its own. The rest of the head is the same in most requests of a client. */
const NUMBERED = Buffer.from("POST /n/");
const METHOD = "POST ".length;
/** The longest number, in bytes. */
const MAX_NUMBER = 200;

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
  /** The part of the current request's target between `/n/` at its start and the next slash. Empty if the target has no `/n/`. */
  number = "";
  /** The bytes of the last head with its empty line, but without a number. Empty after a long head. */
  #headBytes: Buffer = EMPTY;

  get head(): RequestHead {
    return this.#head!;
  }

  /** Bytes received and not parsed yet. */
  get ahead(): number {
    return this.#input.length - this.#at;
  }

  /** Bytes of the current body still to be read, or null if the length is known only at its end. */
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
    const numberEnd = endOfNumber(input, from);
    const same = this.#endOfSameHead(input, from, numberEnd);
    const end = same > 0 ? same : input.indexOf(HEAD_END, from);
    if ((end < 0 ? input.length : end) - from > MAX_HEAD) throw tooLong(input, from);
    if (end < 0) {
      if (mayBecomeHead(input, from, input.length)) return null;
      throw malformed("the request line is malformed");
    }
    const head = same > 0 ? this.#head! : this.#parseHead(input, from, end, numberEnd);
    this.number = numberEnd > 0 ? input.toString("latin1", from + NUMBERED.length, numberEnd) : "";
    this.#at = end + HEAD_END.length;
    this.#left = head.length ?? 0;
    this.#chunked = head.length === null ? new ChunkedBody() : null;
    return head;
  }

  /** Returns the current body if it has arrived in full and has at most `max` bytes, else null. */
  takeBody(max: number): Buffer | null {
    const from = this.#at;
    const to = from + this.#left;
    if (this.#chunked || this.#left > max || to > this.#input.length) return null;
    this.#at = to;
    this.#left = 0;
    return this.#input.subarray(from, to);
  }

  /**
   * Begins to collect the current body, at most `max` bytes of it.
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
    return this.unread === 0 || body.isOver;
  }

  /** Returns the collected body, or null if it is too long, or was refused or dropped. */
  endBody(): Buffer | null {
    const body = this.#body;
    this.#body = null;
    return !body || body.isOver ? null : body.whole();
  }

  /** Drops what has arrived of the current body. Returns whether the next request can be read. */
  skipBody(): boolean {
    const dropped = Math.min(this.#left, this.ahead);
    this.#at += dropped;
    this.#left -= dropped;
    if (this.ahead === 0) this.clear();
    return this.unread === 0;
  }

  /** Returns where the head at `from` ends if its bytes are those of the last one, which then needs no parsing; else -1. */
  #endOfSameHead(input: Buffer, from: number, numberEnd: number): number {
    const last = this.#headBytes;
    // The method of a request with a number is known: what follows both is compared.
    const same = numberEnd > 0 ? METHOD : 0;
    const offset = numberEnd > 0 ? numberEnd - METHOD : from;
    const end = offset + last.length;
    if (last.length === 0 || end > input.length) return -1;
    if (same > 0 && (last[0] !== NUMBERED[0] || last[1] !== NUMBERED[1])) return -1;
    if (last.length > SHORT)
      return last.compare(input, offset + same, end, same) === 0 ? end - HEAD_END.length : -1;
    for (let i = same; i < last.length; i++) if (last[i] !== input[offset + i]) return -1;
    return end - HEAD_END.length;
  }

  #parseHead(input: Buffer, from: number, end: number, numberEnd: number): RequestHead {
    let bytes = input.subarray(from, end + HEAD_END.length);
    if (numberEnd > 0) bytes = Buffer.concat([bytes.subarray(0, METHOD), bytes.subarray(numberEnd - from)]);
    const head = readHead(bytes, 0, bytes.length - HEAD_END.length);
    this.#head = head;
    this.#headBytes = bytes.length <= REMEMBERED ? Buffer.from(bytes) : EMPTY;
    return head;
  }
}

/** Returns the index of the slash behind the number at the start of a target, or -1 if the target has no number there. */
function endOfNumber(input: Buffer, from: number): number {
  for (let i = 0; i < NUMBERED.length; i++) if (input[from + i] !== NUMBERED[i]) return -1;
  const start = from + NUMBERED.length;
  let at = start;
  while (at - start < MAX_NUMBER && isOfNumber(input[at]!)) at++;
  return at > start && input[at] === SLASH ? at : -1;
}

/** Whether a byte is a digit, a letter in lower case, or a dot. */
function isOfNumber(byte: number): boolean {
  return (byte >= 0x61 && byte <= 0x7a) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2e;
}

/** Returns the error for a head that is too long: because of its first line, or of the others. */
function tooLong(input: Buffer, from: number): HttpError {
  const line = input.indexOf(LF, from);
  if (line < 0 || line - from > MAX_HEAD) return new HttpError("the request target is too long", 414);
  return new HttpError("the request head is too large", 431);
}

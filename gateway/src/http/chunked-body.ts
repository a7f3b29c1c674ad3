import { CR, LF } from "../util/bytes.js";
import type { BodyBuffer } from "./body-buffer.js";
import { HttpError, malformed } from "./http-error.js";

/** The longest line between chunks, extensions included, in bytes. */
const MAX_LINE = 1_024;
/** All such lines of a body beyond the bare sizes, in bytes. */
const MAX_EXTRA = 16 * 1_024;

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+";
const QUOTED = '"(?:[\\t \\x21\\x23-\\x5b\\x5d-\\x7e\\x80-\\xff]|\\\\[\\t \\x21-\\x7e\\x80-\\xff])*"';
/** The size of a chunk, and extensions, which are ignored (RFC 9112, 7.1.1). */
const SIZE_LINE = new RegExp(`^([0-9A-Fa-f]{1,12})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);
const TRAILER_LINE = new RegExp(`^${TOKEN}:[\\t\\x20-\\x7e\\x80-\\xff]*$`);

/** Digits of a size that is read without its line. */
const MAX_BARE = 7;
/** The value of each byte as a hexadecimal digit; -1 for other bytes. */
const DIGITS = Int8Array.from({ length: 256 }, (_, byte) =>
  "0123456789abcdef".indexOf(String.fromCharCode(byte).toLowerCase()),
);

enum At {
  Size,
  Data,
  DataEnd,
  Trailer,
  Done,
}

/**
 * Reads a body that comes in chunks (RFC 9112, 7.1). Extensions and trailers are checked for their form and dropped:
 * fields that only count ahead of a body, such as Content-Length, mean nothing there (RFC 9110, 6.5.1).
 */
export class ChunkedBody {
  #at = At.Size;
  #left = 0;
  #line = "";
  #extra = 0;

  /** Whether the body's end has been read. */
  get complete(): boolean {
    return this.#at === At.Done;
  }

  /**
   * Takes the next bytes and appends data to `body`, where there is one.
   * @returns the index where it stopped: the end of the bytes, or of the body
   * @throws {HttpError} at bytes that are invalid in a chunked body
   */
  read(bytes: Buffer, from: number, body: BodyBuffer | null): number {
    let at = from;
    while (at < bytes.length && this.#at !== At.Done) {
      if (this.#at === At.Data) {
        const to = Math.min(bytes.length, at + this.#left);
        body?.append(bytes, at, to);
        this.#left -= to - at;
        at = to;
        if (this.#left === 0) this.#at = At.DataEnd;
      } else {
        const behind = this.#line === "" ? this.#readBare(bytes, at) : 0;
        at = behind > 0 ? behind : this.#readLine(bytes, at);
      }
    }
    return at;
  }

  /**
   * Reads the usual line if it is there in full: the end of a chunk, or a size above 0 without extensions. Returns the index behind it, or 0
   * for any other line. {@link #readLine} takes ten times as long, which counts in a body of very short chunks.
   */
  #readBare(bytes: Buffer, from: number): number {
    let at = from;
    let size = 0;
    if (this.#at === At.Size) {
      for (; at - from < MAX_BARE && DIGITS[bytes[at]!]! >= 0; at++) size = 16 * size + DIGITS[bytes[at]!]!;
      if (size === 0) return 0;
    } else if (this.#at !== At.DataEnd) return 0;
    if (bytes[at] !== CR || bytes[at + 1] !== LF) return 0;
    this.#left = size;
    this.#at = size > 0 ? At.Data : At.Size;
    return at + 2;
  }

  #readLine(bytes: Buffer, from: number): number {
    const feed = bytes.indexOf(LF, from);
    const to = feed < 0 ? bytes.length : feed;
    if (this.#line.length + to - from > MAX_LINE) throw malformed("a chunk-size line is too long");
    this.#line += bytes.toString("latin1", from, to);
    // An invalid beginning is refused at once, not when the line ends.
    if (this.#at === At.DataEnd && this.#line !== "" && this.#line !== "\r") {
      throw malformed("a chunk is longer than its declared size");
    }
    if (feed < 0) return to;
    const line = this.#line;
    if (line.charCodeAt(line.length - 1) !== CR) throw malformed("a chunk-size line does not end in CRLF");
    this.#line = "";
    this.#takeLine(line.slice(0, -1));
    return feed + 1;
  }

  #takeLine(line: string): void {
    if (this.#at === At.DataEnd) {
      this.#at = At.Size;
    } else if (this.#at === At.Size) {
      const digits = SIZE_LINE.exec(line)?.[1];
      if (digits === undefined) throw malformed("a chunk size is not a hexadecimal number");
      this.#count(line.length - digits.length);
      this.#left = Number.parseInt(digits, 16);
      this.#at = this.#left === 0 ? At.Trailer : At.Data;
    } else if (line === "") {
      this.#at = At.Done;
    } else {
      if (!TRAILER_LINE.test(line)) throw malformed("a trailer line is malformed");
      this.#count(line.length);
    }
  }

  #count(extra: number): void {
    this.#extra += extra;
    if (this.#extra > MAX_EXTRA)
      throw new HttpError("the request has too long chunk extensions or trailers", 431);
  }
}

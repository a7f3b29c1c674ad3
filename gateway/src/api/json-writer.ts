import { BACKSLASH, QUOTE, SPACE } from "../util/bytes.js";
import { SlabWriter } from "../util/slab-writer.js";

/** Strings up to this many bytes are copied byte by byte, which beats a call into native code. */
const SHORT = 48;
/** Longer strings are encoded in pieces, so that no text is made that is larger than a string may be. */
const PIECE = 4 * 1024 * 1024;
/** A multiple of three, so that the pieces of a long string encode to base64 without padding between them. */
const BASE64_PIECE = 3 * 64 * 1024;

/** Writes JSON, from bytes to bytes. */
export class JsonWriter extends SlabWriter {
  /** Starts a document of about `expected` bytes. An unfinished one is dropped. */
  begin(expected: number): void {
    this.at = this.start;
    this.reserve(expected + 32);
  }

  end(): Buffer {
    return this.take();
  }

  byte(byte: number): void {
    this.reserve(1);
    this.slab[this.at++] = byte;
  }

  ascii(letters: string): void {
    this.reserve(letters.length);
    const { slab } = this;
    if (letters.length > 16) this.at += slab.write(letters, this.at, "latin1");
    else for (let i = 0; i < letters.length; i++) slab[this.at++] = letters.charCodeAt(i);
  }

  /** Writes the number `bytes[from, to)` as it is. */
  digits(bytes: Buffer, from: number, to: number): void {
    this.reserve(to - from);
    for (let i = from; i < to; i++) this.slab[this.at++] = bytes[i]!;
  }

  /** Writes `bytes[from, to)` as a string. Bytes that are not UTF-8 become U+FFFD, as Node decodes them. */
  string(bytes: Buffer, from: number, to: number): void {
    const size = to - from;
    if (size <= SHORT && this.#plainString(bytes, from, to)) return;
    if (size <= PIECE) {
      this.#text(JSON.stringify(bytes.toString("utf8", from, to)));
      return;
    }
    this.byte(QUOTE);
    for (let i = from; i < to; ) {
      const cut = to - i <= PIECE ? to : characterStart(bytes, i + PIECE);
      this.#text(JSON.stringify(bytes.toString("utf8", i, cut)).slice(1, -1));
      i = cut;
    }
    this.byte(QUOTE);
  }

  /** Writes `bytes[from, to)` as a string of base64. */
  base64(bytes: Buffer, from: number, to: number): void {
    this.byte(QUOTE);
    for (let i = from; i < to; i += BASE64_PIECE) {
      this.ascii(bytes.toString("base64", i, Math.min(to, i + BASE64_PIECE)));
    }
    this.byte(QUOTE);
  }

  /** Writes a string that needs no escapes. Returns false, and writes nothing, if it does need some. */
  #plainString(bytes: Buffer, from: number, to: number): boolean {
    this.reserve(to - from + 2);
    const { slab } = this;
    let { at } = this;
    slab[at++] = QUOTE;
    for (let i = from; i < to; i++) {
      const byte = bytes[i]!;
      if (byte < SPACE || byte > 0x7e || byte === QUOTE || byte === BACKSLASH) return false;
      slab[at++] = byte;
    }
    slab[at++] = QUOTE;
    this.at = at;
    return true;
  }

  #text(letters: string): void {
    // Three bytes at most for each UTF-16 unit; counted only where that guess would not fit.
    if (this.at + letters.length * 3 > this.slab.length) this.reserve(Buffer.byteLength(letters));
    this.at += this.slab.write(letters, this.at, "utf8");
  }
}

/** Returns the index at which the character begins that `index` is inside of. */
function characterStart(bytes: Buffer, index: number): number {
  for (let i = index; i > index - 4; i--) if ((bytes[i]! & 0xc0) !== 0x80) return i;
  // Four continuation bytes in a row: no character reaches across.
  return index;
}

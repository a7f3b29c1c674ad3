import { isUtf8 } from "node:buffer";
import {
  BACKSLASH,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  CR,
  DOLLAR,
  EMPTY,
  LF,
  MINUS,
  OPEN_BRACKET,
  QUOTE,
  STAR,
  TAB,
  ZERO,
} from "../util/bytes.js";

/** Maximum number of bytes that one byte of a string becomes: `\u0000`. */
const MAX_ESCAPE = 6;

/** Minimum of the expected ratio of output to input. */
const MIN_EXPANSION = 1.125;

/** A line of more bytes than this is encoded in parts as it arrives. Only a status or an error is that long. */
const LONG_LINE = 64;

/** Bytes expected around each reply, as in `{"result":null},`. */
const FRAME = 16;
/** Texts up to this length are copied letter by letter. */
const SHORT = 16;

/** The form of each byte in a JSON string: 0 for itself, 1 for `\u00xx`, else the letter after a backslash. */
const ESCAPES = new Uint8Array(256);
ESCAPES.fill(1, 0, 0x20);
for (const [byte, letter] of [
  [0x08, "b"],
  [TAB, "t"],
  [LF, "n"],
  [0x0c, "f"],
  [CR, "r"],
  [QUOTE, '"'],
  [BACKSLASH, "\\"],
] as const) {
  ESCAPES[byte] = letter.charCodeAt(0);
}
const HEX = Buffer.from("0123456789abcdef");

/** Turns the bytes of replies into the body of a response, a part at a time. */
export interface ReplyEncoder {
  /** Encodes the next bytes of a reply, wherever they were split. */
  write(bytes: Buffer): void;
  /** Ends the body after the last reply. */
  end(): void;
  /** Returns what was encoded since the last call. */
  take(): Buffer;
  /** Lets the encoder reuse the memory of bytes that {@link take} returned and that are no longer needed. */
  recycle(bytes: Buffer): void;
}

/**
 * The input of an encoder.
 *
 * - `one`: a single reply
 * - `list`: the replies of a pipeline
 * - `elements`: the reply of EXEC, each element of which is a reply by itself
 * - `value`: a single reply, without the object around it
 */
export type Shape = "one" | "list" | "elements" | "value";

enum At {
  /** At the first byte of a line, or inside a line. */
  Line,
  /** Inside a status or an error that began in an earlier part. */
  Text,
  /** Inside a bulk string. */
  Body,
  /** At the line break after a string. */
  StringEnd,
}

/**
 * Encodes RESP2 replies, split anywhere, as JSON: `{"result":...}` or `{"error":"..."}` for each reply. With base64, all
 * strings are encoded except error texts and a top-level status `OK`. An error inside an array becomes an object
 * `{"error":"..."}`. The time and memory of a call are bounded by the bytes given to it. The replies have to be well-formed.
 */
export class JsonEncoder implements ReplyEncoder {
  #out: Buffer = EMPTY;
  #size = 0;
  /** Memory for the next output. Allocating that much each time would make V8 collect garbage often. */
  #spare: Buffer = EMPTY;
  /** Bytes passed to `write` since the last call of `take`, and the ratio of output to input before that call. */
  #written = 0;
  #expansion = MIN_EXPANSION;
  #at = At.Line;
  /** The beginning of a line that was split. */
  #line: Buffer = EMPTY;
  /** Bytes of the current bulk string still to come, or of the line break after a string. */
  #left = 0;
  /** Whether the current string is an error. */
  #isError = false;
  /** The last bytes of the current part, if a character or a group of base64 continues in the next part. */
  #carry: Buffer = EMPTY;
  /** Elements still to come of each array that is open. */
  readonly #open: number[] = [];
  #items = 0;

  /** @param expected about how many bytes the output will have, if that is known */
  constructor(
    private readonly base64: boolean,
    private readonly shape: Shape,
    expected = 0,
  ) {
    if (expected > 0) this.#reserve(expected);
    if (shape === "list") this.#push(OPEN_BRACKET);
  }

  write(bytes: Buffer): void {
    this.#written += bytes.length;
    this.#reserve(Math.ceil(bytes.length * this.#expansion));
    let from = 0;
    while (from < bytes.length) {
      if (this.#at === At.Line) from = this.#readLine(bytes, from);
      else if (this.#at === At.Text) from = this.#readText(bytes, from);
      else {
        const to = Math.min(bytes.length, from + this.#left);
        this.#left -= to - from;
        if (this.#at === At.Body) {
          this.#text(bytes, from, to, this.#left === 0);
          if (this.#left === 0) this.#endString();
        } else if (this.#left === 0) {
          this.#at = At.Line;
          this.#endValue(this.#isError);
        }
        from = to;
      }
    }
  }

  end(): void {
    if (this.shape === "list" || this.shape === "elements") this.#push(CLOSE_BRACKET);
  }

  take(): Buffer {
    const done = this.#out.subarray(0, this.#size);
    // The next output usually has a similar ratio, and then needs only one allocation.
    if (this.#written > 0) this.#expansion = Math.max(MIN_EXPANSION, this.#size / this.#written);
    this.#written = 0;
    this.#out = EMPTY;
    this.#size = 0;
    return done;
  }

  recycle(bytes: Buffer): void {
    const { byteLength } = bytes.buffer;
    // A smaller buffer may be part of Node's pool.
    if (byteLength > Math.max(Buffer.poolSize, this.#spare.length)) this.#spare = Buffer.from(bytes.buffer);
  }

  #readLine(bytes: Buffer, from: number): number {
    let to = from;
    while (to < bytes.length && bytes[to] !== LF) to++;
    const isWhole = to < bytes.length;
    if (isWhole) to++;
    if (isWhole && this.#line.length === 0) {
      this.#takeLine(bytes, from, to - 2);
      return to;
    }
    const line = Buffer.concat([this.#line, bytes.subarray(from, to)]);
    if (isWhole) {
      this.#line = EMPTY;
      this.#takeLine(line, 0, line.length - 2);
    } else {
      this.#line = line;
      if (line.length > LONG_LINE && line[line.length - 1] !== CR) this.#beginText();
    }
    return to;
  }

  /** Encodes the beginning of a long status or error. */
  #beginText(): void {
    const line = this.#line;
    this.#line = EMPTY;
    this.#isError = line[0] === MINUS;
    const isItem = this.#beginItem();
    if (this.#isError) this.#ascii('{"error":"');
    else this.#ascii(isItem ? '{"result":"' : '"');
    this.#at = At.Text;
    this.#text(line, 1, line.length, false);
  }

  /** Encodes more of a long status or error. Returns the index up to which bytes were read. */
  #readText(bytes: Buffer, from: number): number {
    const end = bytes.indexOf(CR, from);
    const to = end < 0 ? bytes.length : end;
    this.#text(bytes, from, to, end >= 0);
    if (end >= 0) this.#endString();
    return to;
  }

  /** Begins a value. Returns whether it is wrapped in an object of its own. */
  #beginItem(): boolean {
    const isItem = this.#isItem();
    if (isItem && this.shape === "list" && this.#items++ > 0) this.#push(COMMA);
    return isItem;
  }

  /** Encodes a whole line, `line[from, to)`, which excludes its line break. */
  #takeLine(line: Buffer, from: number, to: number): void {
    const type = line[from]!;
    if (this.#open.length === 0 && this.shape === "elements" && this.#items === 0) {
      this.#items = 1;
      this.#push(OPEN_BRACKET);
      this.#open.push(numberIn(line, from + 1, to));
      if (this.#open[0] === 0) this.#open.pop();
      return;
    }
    const isItem = this.#beginItem();
    if (type === MINUS) {
      this.#ascii('{"error":"');
      this.#escaped(line, from + 1, to);
      this.#push(QUOTE);
      // Even in an array, an error is an object.
      this.#endValue(true);
      return;
    }
    if (isItem) this.#ascii('{"result":');
    if (type === DOLLAR || type === STAR) this.#takeLength(type, numberIn(line, from + 1, to));
    else {
      if (type === COLON) this.#escaped(line, from + 1, to);
      else {
        this.#push(QUOTE);
        if (this.base64 && !(isItem && isOk(line, from, to)))
          this.#ascii(line.toString("base64", from + 1, to));
        else this.#escaped(line, from + 1, to);
        this.#push(QUOTE);
      }
      this.#endValue();
    }
  }

  #takeLength(type: number, length: number): void {
    if (length < 0) this.#ascii("null");
    else if (type === STAR) {
      this.#push(OPEN_BRACKET);
      if (length > 0) {
        this.#open.push(length);
        return;
      }
      this.#push(CLOSE_BRACKET);
    } else {
      this.#push(QUOTE);
      this.#isError = false;
      this.#left = length;
      this.#at = At.Body;
      if (length === 0) this.#endString();
      return;
    }
    this.#endValue();
  }

  /** Whether a value at this depth is wrapped in an object of its own. */
  #isItem(): boolean {
    if (this.shape === "value") return false;
    return this.#open.length === (this.shape === "elements" ? 1 : 0);
  }

  #endString(): void {
    this.#push(QUOTE);
    this.#at = At.StringEnd;
    this.#left = 2;
  }

  /** Closes the object around a value, and the arrays of which the value is the last element. An error always has an object. */
  #endValue(isError = false): void {
    const open = this.#open;
    if (isError || this.#isItem()) this.#push(CLOSE_BRACE);
    while (open.length > 0) {
      const last = open.length - 1;
      if (--open[last]! > 0) {
        this.#push(COMMA);
        return;
      }
      open.pop();
      if (this.shape === "elements" && open.length === 0) return;
      this.#push(CLOSE_BRACKET);
      if (this.#isItem()) this.#push(CLOSE_BRACE);
    }
  }

  /** Appends a part of a string. */
  #text(bytes: Buffer, from: number, to: number, isLast: boolean): void {
    // The text of an error is never base64.
    const base64 = this.base64 && !this.#isError;
    let part = bytes;
    let start = from;
    let end = to;
    if (this.#carry.length > 0) {
      part = Buffer.concat([this.#carry, bytes.subarray(from, to)]);
      start = 0;
      end = part.length;
      this.#carry = EMPTY;
    }
    if (!isLast) {
      const whole = base64 ? end - start - ((end - start) % 3) : characterEnd(part.subarray(start, end));
      // A copy, so that the part can be freed.
      if (start + whole < end) this.#carry = Buffer.from(part.subarray(start + whole, end));
      end = start + whole;
    }
    if (base64) this.#ascii(part.toString("base64", start, end));
    else this.#escaped(part, start, end);
  }

  #escaped(source: Buffer, from: number, to: number): void {
    this.#reserve(to - from);
    let out = this.#out;
    let i = from;
    let at = this.#size;
    // Most strings are ASCII without escapes.
    for (; i < to && source[i]! < 0x80 && ESCAPES[source[i]!] === 0; i++) out[at++] = source[i]!;
    this.#size = at;
    if (i === to) return;
    const rest = source.subarray(i, to);
    // Bytes that are not UTF-8 become U+FFFD, as Node decodes them.
    const bytes = isUtf8(rest) ? rest : Buffer.from(rest.toString("utf8"));
    const { length } = bytes;
    i = 0;
    while (i < length) {
      this.#reserve(length - i);
      out = this.#out;
      at = this.#size;
      const last = out.length - MAX_ESCAPE;
      for (; i < length && at <= last; i++) {
        const byte = bytes[i]!;
        const letter = ESCAPES[byte]!;
        if (letter === 0) out[at++] = byte;
        else {
          out[at++] = BACKSLASH;
          if (letter > 1) out[at++] = letter;
          else {
            out[at++] = 0x75;
            out[at++] = ZERO;
            out[at++] = ZERO;
            out[at++] = HEX[byte >> 4]!;
            out[at++] = HEX[byte & 15]!;
          }
        }
      }
      this.#size = at;
    }
  }

  #push(byte: number): void {
    this.#reserve(1);
    this.#out[this.#size++] = byte;
  }

  #ascii(letters: string): void {
    this.#reserve(letters.length);
    // A call into native code costs more than copying a few letters here.
    if (letters.length > SHORT) this.#size += this.#out.write(letters, this.#size, "latin1");
    else for (let i = 0; i < letters.length; i++) this.#out[this.#size++] = letters.charCodeAt(i);
  }

  /** Makes room for `more` bytes, and for one escape beyond them. */
  #reserve(more: number): void {
    const needed = this.#size + more + MAX_ESCAPE;
    if (needed <= this.#out.length) return;
    if (this.#size === 0 && needed <= this.#spare.length) {
      this.#out = this.#spare;
      this.#spare = EMPTY;
      return;
    }
    const next = Buffer.allocUnsafe(Math.max(needed + 64, 2 * this.#out.length));
    this.#out.copy(next, 0, 0, this.#size);
    this.#out = next;
  }
}

/** Returns complete replies as JSON. */
export function jsonOf(replies: readonly Buffer[], base64: boolean, shape: Shape): Buffer {
  const expected = replies.reduce((sum, { length }) => sum + length * MIN_EXPANSION + FRAME, 0);
  const encoder = new JsonEncoder(base64, shape, Math.ceil(expected));
  for (const reply of replies) encoder.write(reply);
  encoder.end();
  return encoder.take();
}

/** Passes on replies as the RESP bytes that Redis sent. */
export class RespEncoder implements ReplyEncoder {
  #parts: Buffer[];

  /** @param size the number of replies of a pipeline; null for one reply alone */
  constructor(size: number | null) {
    this.#parts = size === null ? [] : [Buffer.from(`*${size}\r\n`)];
  }

  write(bytes: Buffer): void {
    this.#parts.push(bytes);
  }

  end(): void {}

  take(): Buffer {
    const parts = this.#parts;
    this.#parts = [];
    return parts.length === 1 ? parts[0]! : Buffer.concat(parts);
  }

  /** Does nothing: other replies may be in the same memory. */
  recycle(): void {}
}

/** Returns an index up to which all characters are complete: the start of a last character of several bytes, else the length. */
export function characterEnd(bytes: Buffer): number {
  const { length } = bytes;
  for (let i = length - 1; i >= 0 && i >= length - 4; i--) {
    const byte = bytes[i]!;
    if (byte < 0x80) return length;
    if (byte >= 0xc0) return i;
  }
  // Only continuation bytes: four or more are malformed, fewer are held back until more bytes come.
  return length < 4 ? 0 : length;
}

/** Whether the status `line[from, to)` is `OK`. */
function isOk(line: Buffer, from: number, to: number): boolean {
  return to - from === 3 && line[from + 1] === 0x4f && line[from + 2] === 0x4b;
}

/** Returns the number in `line[from, to)`, or -1 for a negative one. */
function numberIn(line: Buffer, from: number, to: number): number {
  if (line[from] === MINUS) return -1;
  let number = 0;
  for (let i = from; i < to; i++) number = number * 10 + line[i]! - ZERO;
  return number;
}

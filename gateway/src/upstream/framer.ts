const LF = 0x0a;
const CR = 0x0d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const COLON = 0x3a;
const DOLLAR = 0x24;
const STAR = 0x2a;

/** Where the framer stands inside a reply. */
enum At {
  Type,
  Text,
  TextEnd,
  Number,
  NumberEnd,
  Body,
  BodyCr,
  BodyLf,
}

/** Bytes that are no RESP2 reply. Nothing after them can be trusted. */
export class MalformedReply extends Error {
  override readonly name = "MalformedReply";
}

/**
 * Finds where each RESP2 reply ends, over any split of the bytes, without decoding it. A reply is handed on
 * as Redis's own bytes; one larger than `maxReply` bytes is consumed and handed on as null.
 */
export class Framer {
  #at = At.Type;
  /** Elements of the reply still to come; an array adds its own. */
  #left = 1;
  #kind = 0;
  #number = 0;
  #digits = 0;
  #negative = false;
  #parts: Buffer[] = [];
  #kept = 0;
  #tooLarge = false;

  constructor(readonly maxReply: number) {}

  /** Takes the next bytes. @throws {MalformedReply} at the first byte that can't belong to a reply */
  push(chunk: Buffer, onReply: (reply: Buffer | null) => void): void {
    const end = chunk.length;
    let start = 0;
    let i = 0;
    while (i < end) {
      switch (this.#at) {
        case At.Type: {
          const kind = chunk[i++]!;
          if (kind === PLUS || kind === MINUS) this.#at = At.Text;
          else if (kind === DOLLAR || kind === COLON || kind === STAR) {
            this.#kind = kind;
            this.#number = 0;
            this.#digits = 0;
            this.#negative = false;
            this.#at = At.Number;
          } else throw new MalformedReply("a reply of unknown type");
          continue;
        }
        case At.Text: {
          while (i < end && chunk[i] !== CR && chunk[i] !== LF) i++;
          if (i === end) continue;
          if (chunk[i++] === LF) throw new MalformedReply("a line feed inside a line");
          this.#at = At.TextEnd;
          continue;
        }
        case At.TextEnd:
          if (chunk[i++] !== LF) throw new MalformedReply("a line without its end");
          break;
        case At.Number: {
          const byte = chunk[i++]!;
          if (byte === CR && this.#digits > 0) this.#at = At.NumberEnd;
          else if (byte === MINUS && this.#digits === 0 && !this.#negative) this.#negative = true;
          else if (
            byte >= 0x30 &&
            byte <= 0x39 &&
            this.#digits < 20 &&
            !(this.#digits === 1 && this.#number === 0)
          ) {
            this.#number = this.#number * 10 + byte - 0x30;
            this.#digits++;
          } else throw new MalformedReply("a number that is none");
          continue;
        }
        case At.NumberEnd:
          if (chunk[i++] !== LF) throw new MalformedReply("a line without its end");
          if (this.#kind === COLON) break;
          if (this.#negative) {
            if (this.#number !== 1) throw new MalformedReply("a negative length");
            break;
          }
          if (this.#number > 0xffffffff) throw new MalformedReply("a length without sense");
          if (this.#kind === STAR) {
            this.#left += this.#number;
            break;
          }
          this.#at = this.#number === 0 ? At.BodyCr : At.Body;
          continue;
        case At.Body: {
          const taken = Math.min(this.#number, end - i);
          i += taken;
          this.#number -= taken;
          if (this.#number === 0) this.#at = At.BodyCr;
          continue;
        }
        case At.BodyCr:
          if (chunk[i++] !== CR) throw new MalformedReply("a bulk string longer than it says");
          this.#at = At.BodyLf;
          continue;
        case At.BodyLf:
          if (chunk[i++] !== LF) throw new MalformedReply("a bulk string longer than it says");
          break;
      }
      this.#at = At.Type;
      if (--this.#left > 0) continue;
      this.#left = 1;
      const reply = this.#finish(chunk, start, i);
      start = i;
      onReply(reply);
    }
    if (start < end) this.#keep(chunk.subarray(start));
  }

  #keep(part: Buffer): void {
    this.#kept += part.length;
    if (this.#kept > this.maxReply) {
      this.#tooLarge = true;
      this.#parts = [];
    }
    if (!this.#tooLarge) this.#parts.push(part);
  }

  #finish(chunk: Buffer, start: number, end: number): Buffer | null {
    const last = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
    if (this.#kept === 0) return last.length > this.maxReply ? null : last;
    this.#keep(last);
    const reply = this.#tooLarge ? null : Buffer.concat(this.#parts, this.#kept);
    this.#parts = [];
    this.#kept = 0;
    this.#tooLarge = false;
    return reply;
  }
}

import { BufferBudget } from "../util/buffer-budget.js";
import { COLON, CR, DOLLAR, LF, MINUS, NINE, PERCENT, PLUS, STAR, ZERO } from "../util/bytes.js";

/** The part of a reply that the framer reads next. */
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

/**
 * Types of RESP3, each with the type of RESP2 that is framed alike. A map has two elements for each of its entries.
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
const RESP3_TYPES: ReadonlyMap<number, number> = new Map(
  Object.entries({
    ">": STAR,
    "~": STAR,
    "%": STAR,
    "=": DOLLAR,
    _: PLUS,
    "#": PLUS,
    ",": PLUS,
    "(": PLUS,
  }).map(([type, alike]) => [type.charCodeAt(0), alike]),
);

/** Thrown for bytes that can't be a reply. No later byte can be trusted. */
export class MalformedReply extends Error {
  override readonly name = "MalformedReply";
}

/** A reply of more bytes than this may be streamed. */
export const LARGE_REPLY = 256 * 1_024;

/**
 * The reason why a reply was not kept.
 *
 * - `too-large`: it is larger than `maxReplySize`
 * - `no-room`: there is no memory left for it
 * - `over-budget`: it never fits in the memory for buffers
 */
export type DropReason = "too-large" | "no-room" | "over-budget";

/** Takes the bytes of one large reply. */
export interface LargeReply {
  write(bytes: Buffer): void;
  /** The reply is larger than `maxReplySize`. Its other bytes are still written, and may be dropped. */
  onTooLarge(): void;
  end(): void;
}

/** The receiver of a framer's replies. */
export interface FramerUser {
  /** Takes the next reply. Null for a reply that was not kept: see {@link DropReason}. */
  onReply(reply: Buffer | null): void;
  /**
   * Called once while a large reply arrives, with its first byte and the least size that it can have. Returns a receiver for its
   * bytes, or null to get it whole.
   */
  onLarge?(first: number, size: number): LargeReply | null;
}

/**
 * Splits a stream of bytes into RESP2 or RESP3 replies, without decoding them. Hands on each reply as Redis's own bytes, or as
 * null if it was not kept: see {@link DropReason}. Large replies that are kept whole count against the budget.
 */
export class Framer {
  #at = At.Type;
  /** Elements of the reply still to come; an array adds its own. */
  #left = 1;
  #kind = 0;
  /** Elements for each one that the length counts: 2 in a map, otherwise 1. */
  #factor = 1;
  #number = 0;
  #digits = 0;
  #negative = false;
  #parts: Buffer[] = [];
  #kept = 0;
  #tooLarge = false;
  #large: LargeReply | null = null;
  /** Whether `onLarge` was called for the current reply. */
  #offered = false;
  /** Bytes taken from the budget. */
  #taken = 0;
  /** Why the last reply that was handed on as null was not kept. */
  dropReason: DropReason = "too-large";

  constructor(
    readonly maxReplySize: number,
    readonly budget = new BufferBudget(),
    readonly resp3 = false,
  ) {}

  /** Takes the next bytes. @throws {MalformedReply} at the first byte that can't belong to a reply */
  push(chunk: Buffer, user: FramerUser): void {
    const end = chunk.length;
    let start = 0;
    let i = 0;
    while (i < end) {
      switch (this.#at) {
        case At.Type: {
          const type = chunk[i++]!;
          const kind = this.resp3 ? (RESP3_TYPES.get(type) ?? type) : type;
          this.#factor = type === PERCENT ? 2 : 1;
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
          if (chunk[i++] !== LF) throw new MalformedReply("a line without CRLF");
          break;
        case At.Number: {
          const byte = chunk[i++]!;
          if (byte === CR && this.#digits > 0) this.#at = At.NumberEnd;
          else if (byte === MINUS && this.#digits === 0 && !this.#negative) this.#negative = true;
          else if (
            byte >= ZERO &&
            byte <= NINE &&
            this.#digits < 20 &&
            !(this.#digits === 1 && this.#number === 0)
          ) {
            this.#number = this.#number * 10 + byte - ZERO;
            this.#digits++;
          } else throw new MalformedReply("an integer that is not a number");
          continue;
        }
        case At.NumberEnd:
          if (chunk[i++] !== LF) throw new MalformedReply("a line without CRLF");
          if (this.#kind === COLON) break;
          if (this.#negative) {
            if (this.#number !== 1) throw new MalformedReply("a negative length");
            break;
          }
          if (this.#number > 0xffffffff) throw new MalformedReply("a length out of range");
          if (this.#kind === STAR) {
            this.#left += this.#number * this.#factor;
            break;
          }
          this.#at = this.#number === 0 ? At.BodyCr : At.Body;
          if (this.#kept + this.#number > this.maxReplySize && !this.#large) this.#drop();
          continue;
        case At.Body: {
          const taken = Math.min(this.#number, end - i);
          i += taken;
          this.#number -= taken;
          if (this.#number === 0) this.#at = At.BodyCr;
          continue;
        }
        case At.BodyCr:
          if (chunk[i++] !== CR) throw new MalformedReply("a bulk string longer than declared");
          this.#at = At.BodyLf;
          continue;
        case At.BodyLf:
          if (chunk[i++] !== LF) throw new MalformedReply("a bulk string longer than declared");
          break;
      }
      this.#at = At.Type;
      if (--this.#left > 0) continue;
      this.#left = 1;
      const reply = this.#finish(chunk, start, i, user);
      start = i;
      if (reply !== undefined) user.onReply(reply);
    }
    if (start < end) this.#keep(chunk.subarray(start), user);
  }

  /** Returns all bytes taken from the budget. No more input follows. */
  close(): void {
    this.#drop();
  }

  #keep(part: Buffer, user: FramerUser): void {
    this.#kept += part.length;
    if (this.#large) {
      if (this.#kept > this.maxReplySize && !this.#tooLarge) {
        this.#tooLarge = true;
        this.#large.onTooLarge();
      }
      this.#large.write(part);
    } else if (this.#tooLarge) return;
    else if (this.#kept > this.maxReplySize) this.#drop();
    else {
      this.#parts.push(part);
      if (this.#kept > LARGE_REPLY) this.#keepLarge(part, user);
    }
  }

  #keepLarge(part: Buffer, user: FramerUser): void {
    let bytes = part.length;
    if (!this.#offered) {
      this.#offered = true;
      bytes = this.#kept;
      this.#large = user.onLarge?.(this.#parts[0]![0]!, this.#minSize) ?? null;
      if (this.#large) {
        const parts = this.#parts;
        this.#parts = [];
        for (const each of parts) this.#large.write(each);
        return;
      }
    }
    // Twice, because the parts are copied into one buffer at the end.
    if (this.budget.take(2 * bytes)) this.#taken += 2 * bytes;
    else {
      const isOver = 2 * this.#minSize > this.budget.limit;
      this.#drop();
      this.dropReason = isOver ? "over-budget" : "no-room";
    }
  }

  /** Minimum size of the current reply in bytes: up to the end of the string that is being read. */
  get #minSize(): number {
    return this.#kept + (this.#at === At.Body ? this.#number : 0);
  }

  /** Drops the current reply: what was kept of it, and what follows. */
  #drop(): void {
    this.#tooLarge = true;
    this.dropReason = "too-large";
    this.#parts = [];
    this.#release();
  }

  #release(): void {
    if (this.#taken > 0) this.budget.give(this.#taken);
    this.#taken = 0;
  }

  /** Returns the whole reply; null if it was not kept; undefined if it was streamed. */
  #finish(chunk: Buffer, start: number, end: number, user: FramerUser): Buffer | null | undefined {
    const last = start === 0 && end === chunk.length ? chunk : chunk.subarray(start, end);
    if (this.#kept === 0) {
      if (!this.#tooLarge && last.length <= this.maxReplySize) return last;
      this.#tooLarge = false;
      this.dropReason = "too-large";
      return null;
    }
    this.#keep(last, user);
    const large = this.#large;
    const reply = this.#tooLarge || large ? null : Buffer.concat(this.#parts, this.#kept);
    this.#parts = [];
    this.#kept = 0;
    this.#tooLarge = false;
    this.#offered = false;
    this.#large = null;
    this.#release();
    if (!large) return reply;
    large.end();
    return undefined;
  }
}

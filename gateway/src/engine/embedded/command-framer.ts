import { DOLLAR, LF, STAR } from "../../util/bytes.js";

/** The name of {@link TOO_LARGE_COMMAND}. */
export const TOO_LARGE = "warmline.toolarge";

/** Stands for a command that was dropped for its size, so that its error comes in its place. */
export const TOO_LARGE_COMMAND = Buffer.from(`*1\r\n$${TOO_LARGE.length}\r\n${TOO_LARGE}\r\n`);

/** The bytes are not RESP arrays of bulk strings. */
export class FramingError extends Error {}

/** Commands are passed on together up to about this many bytes, so that other connections get a turn in between. */
const MAX_PART = 16 * 1024;
/** The longest header is a type byte, a number and the line's end. */
const MAX_HEADER = 24;
/** Redis's own limit on the arguments of one command. */
const MAX_ARGS = 1024 * 1024;

/**
 * Splits a stream of RESP commands at the ends of commands, so that a command is parsed once, when it is whole, however
 * many chunks it came in. A command over the limit is dropped without being stored, and {@link TOO_LARGE_COMMAND} takes its
 * place. Its sender gets an error, and no connection is lost.
 */
export class CommandFramer {
  /** Pieces of the command that is not whole yet. */
  #incomplete: Buffer[] = [];
  #header = "";
  /** Arguments of the current command still to come; 0 between commands. */
  #args = 0;
  /** Bytes of the current argument still to come, including its line end. */
  #body = 0;
  /** Bytes that the current command has announced so far. */
  #size = 0;
  #skipping = false;

  constructor(private readonly maxBytes: number) {}

  /**
   * Takes the next bytes and returns the commands that they complete, in order, one or more in each part.
   * @throws {FramingError} at bytes that cannot start or continue a command.
   */
  push(chunk: Buffer): Buffer[] {
    const out: Buffer[] = [];
    /** Start of the bytes that have not been returned. */
    let start = 0;
    /** End of the whole commands. */
    let whole = 0;
    let at = 0;
    const passOn = () => {
      if (whole > start) out.push(this.#take(chunk, start, whole));
      start = whole;
    };
    while (at < chunk.length) {
      if (this.#body > 0) {
        const step = Math.min(this.#body, chunk.length - at);
        this.#body -= step;
        at += step;
        if (this.#body > 0) break;
        this.#args -= 1;
      } else {
        const end = chunk.indexOf(LF, at);
        const stop = end === -1 ? chunk.length : end + 1;
        if (stop - at + this.#header.length > MAX_HEADER)
          throw new FramingError("Protocol error: header too long");
        this.#header += chunk.toString("latin1", at, stop);
        at = stop;
        if (end === -1) break;
        this.#readHeader();
        if (!this.#skipping && this.#size > this.maxBytes) {
          this.#skipping = true;
          passOn();
          this.#incomplete = [];
        }
      }
      if (this.#args > 0) continue;
      if (this.#skipping) {
        out.push(TOO_LARGE_COMMAND);
        this.#skipping = false;
        start = at;
      }
      whole = at;
      this.#size = 0;
      if (whole - start >= MAX_PART) passOn();
    }
    passOn();
    if (!this.#skipping && start < chunk.length) this.#incomplete.push(chunk.subarray(start));
    return out;
  }

  /** Reads `*<arguments>` between commands, and `$<bytes>` inside one. */
  #readHeader(): void {
    const header = this.#header;
    this.#header = "";
    const expected = this.#args === 0 ? STAR : DOLLAR;
    const digits = /^.(\d+)\r\n$/s.exec(header)?.[1];
    if (header.charCodeAt(0) !== expected || digits === undefined) {
      throw new FramingError(
        expected === STAR
          ? "Protocol error: expected an array of bulk strings"
          : "Protocol error: expected bulk string",
      );
    }
    const count = Number(digits);
    if (!Number.isSafeInteger(count)) throw new FramingError("Protocol error: invalid length");
    this.#size += header.length;
    if (expected === STAR) {
      if (count > MAX_ARGS) throw new FramingError("Protocol error: invalid multibulk length");
      this.#args = count;
    } else {
      this.#body = count + 2;
      this.#size += this.#body;
    }
  }

  #take(chunk: Buffer, start: number, end: number): Buffer {
    const last = chunk.subarray(start, end);
    if (this.#incomplete.length === 0) return last;
    const joined = Buffer.concat([...this.#incomplete, last]);
    this.#incomplete = [];
    return joined;
  }
}

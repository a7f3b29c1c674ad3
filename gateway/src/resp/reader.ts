import { CR, DOLLAR, EMPTY, MINUS, STAR, ZERO } from "../util/bytes.js";

/**
 * A cursor over RESP2 that is whole and well-formed: replies that the framer has checked, and encoded commands. It reads
 * headers and finds bounds, and copies nothing.
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 */
export class RespReader {
  /** @param at the index of the next byte to read */
  constructor(
    readonly bytes: Buffer,
    public at = 0,
  ) {}

  /** The type byte of the value at the cursor. */
  get type(): number {
    return this.bytes[this.at]!;
  }

  /** Reads the header of an array or a bulk string. Returns its length, or -1 for a null. */
  nextLength(): number {
    const { bytes } = this;
    let at = this.at + 1;
    if (bytes[at] === MINUS) {
      this.at = at + 4;
      return -1;
    }
    let length = 0;
    for (; bytes[at] !== CR; at++) length = length * 10 + bytes[at]! - ZERO;
    this.at = at + 2;
    return length;
  }

  /** Reads a status, an error or an integer. Returns the index at which its text ends. The text begins after the type byte. */
  nextLine(): number {
    const { bytes } = this;
    let end = this.at + 1;
    while (bytes[end] !== CR) end++;
    this.at = end + 2;
    return end;
  }

  /** Reads any value but an array. Returns its content, which is empty for a null. */
  nextContent(): Buffer {
    const { bytes } = this;
    let from = this.at + 1;
    if (this.type !== DOLLAR) return bytes.subarray(from, this.nextLine());
    const length = this.nextLength();
    if (length < 0) return EMPTY;
    from = this.at;
    this.at += length + 2;
    return bytes.subarray(from, from + length);
  }

  /** Reads a bulk string that is not null, as Latin-1 text (one character per byte). */
  nextText(): string {
    const length = this.nextLength();
    const from = this.at;
    this.at += length + 2;
    return this.bytes.toString("latin1", from, from + length);
  }

  /** Moves past a value with everything in it. Iterates, since a reply may be nested deeper than the stack. */
  skip(): void {
    for (let left = 1; left > 0; left--) {
      const { type } = this;
      if (type !== STAR && type !== DOLLAR) {
        this.nextLine();
        continue;
      }
      const length = this.nextLength();
      if (length < 0) continue;
      if (type === STAR) left += length;
      else this.at += length + 2;
    }
  }
}

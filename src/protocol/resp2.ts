import { BytesBulk, type Chunk, utf8 } from "./bytes.js";
import { integer, MalformedReply, nextDepth } from "./malformed.js";
import { ErrorReply, type RawReply } from "./reply.js";

const CR = 13;
const LF = 10;

/**
 * Reads a response that is exactly one RESP2 reply.
 * @see https://redis.io/docs/latest/develop/reference/protocol-spec/
 * @throws MalformedReply if a byte is missing, wrong, or left over.
 */
export function readResp2(chunk: Chunk): RawReply {
  const reader = new Resp2Reader(chunk);
  const reply = reader.read(0);
  if (reader.at !== chunk.length) throw new MalformedReply("bytes after the reply");
  return reply;
}

/** Reads one reply after another. */
export class Resp2Reader {
  /** Where the next reply begins. */
  at = 0;

  constructor(private readonly chunk: Chunk) {}

  read(depth: number): RawReply {
    const { chunk } = this;
    const type = chunk[this.at++];
    switch (type) {
      case 0x24: // $ bulk string
        return this.#bulk();
      case 0x3a: // : integer
        return integer(this.#line());
      case 0x2b: // + simple string
        return this.#line();
      case 0x2d: // - error
        return new ErrorReply(this.#line());
      case 0x2a: // * array
        return this.#array(depth);
      case undefined:
        throw new MalformedReply("a line end is missing");
      default:
        throw new MalformedReply("not a RESP2 reply");
    }
  }

  #bulk(): RawReply {
    const length = this.#length();
    if (length === -1) return null;
    const start = this.at;
    const end = start + length;
    this.#passLineEnd(end);
    return new BytesBulk(this.chunk, start, end);
  }

  #array(depth: number): RawReply {
    const length = this.#length();
    if (length === -1) return null;
    // An element takes at least three bytes, so a false length can't cause a large allocation.
    if (length * 3 > this.chunk.length - this.at) throw new MalformedReply("a line end is missing");
    const inside = nextDepth(depth);
    const items: RawReply[] = new Array(length);
    for (let i = 0; i < length; i++) items[i] = this.read(inside);
    return items;
  }

  /** Reads the length in the header of a bulk string or array: -1 for null. */
  #length(): number {
    const { chunk } = this;
    let at = this.at;
    if (chunk[at] === 0x2d && chunk[at + 1] === 0x31) {
      this.#passLineEnd(at + 2);
      return -1;
    }
    const start = at;
    let length = 0;
    for (let byte = chunk[at]!; byte >= 0x30 && byte <= 0x39; byte = chunk[++at]!)
      length = length * 10 + byte - 0x30;
    if (at === start || at - start > 10) throw new MalformedReply("a length is malformed");
    this.#passLineEnd(at);
    return length;
  }

  #line(): string {
    const end = this.chunk.indexOf(CR, this.at);
    const start = this.at;
    this.#passLineEnd(end);
    return utf8(this.chunk, start, end);
  }

  #passLineEnd(at: number): void {
    if (this.chunk[at] !== CR || this.chunk[at + 1] !== LF) throw new MalformedReply("a line end is missing");
    this.at = at + 2;
  }
}

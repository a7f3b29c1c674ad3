import { ResponseTooLarge } from "./transport.js";

/** First allocation in bytes for a body of unknown length, and the maximum for a body of known length. */
const INITIAL_CAPACITY = 4 * 1024;
const MAX_INITIAL_CAPACITY = 1024 * 1024;

/** Collects the pieces of a body, up to a limit. */
export class Body<Bytes extends Uint8Array> {
  #bytes: Bytes;
  #size = 0;
  /** Bytes of the framing, such as the sizes of chunks. */
  #framing = 0;

  /** @param limit maximum number of bytes, framing included. @throws ResponseTooLarge if `length`, if known, is above it. */
  constructor(
    private readonly limit: number,
    private readonly allocate: (size: number) => Bytes,
    length?: number,
  ) {
    this.expect(length ?? 0);
    this.#bytes = allocate(Math.min(length ?? INITIAL_CAPACITY, MAX_INITIAL_CAPACITY));
  }

  /** @throws ResponseTooLarge if another `count` bytes would exceed the limit. */
  expect(count: number): void {
    if (this.#size + this.#framing + count > this.limit) throw new ResponseTooLarge(this.limit);
  }

  /** Counts bytes of the framing. @throws ResponseTooLarge */
  skip(count: number): void {
    this.expect(count);
    this.#framing += count;
  }

  /** Copies the bytes. @throws ResponseTooLarge */
  add(piece: Uint8Array): void {
    this.expect(piece.length);
    const end = this.#size + piece.length;
    if (end > this.#bytes.length) {
      const larger = this.allocate(Math.max(end, Math.min(2 * this.#bytes.length, this.limit)));
      larger.set(this.#bytes.subarray(0, this.#size));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#size);
    this.#size = end;
  }

  whole(): Bytes {
    return this.#bytes.subarray(0, this.#size) as Bytes;
  }
}

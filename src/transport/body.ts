import { ResponseTooLarge } from "./transport.js";

/** The first allocation for a body of unknown length, and the largest first one for a body of known length, in bytes. */
const INITIAL_CAPACITY = 4 * 1024;
const MAX_INITIAL_CAPACITY = 1024 * 1024;

/** Collects a body, whose pieces may be small and many, up to a limit. */
export class Body<Bytes extends Uint8Array> {
  #bytes: Bytes;
  #size = 0;
  /** Bytes that came with it but are not part of it, such as sizes of chunks. */
  #framing = 0;

  /**
   * @param limit the most bytes, framing included.
   * @param length the body's length where it is known before.
   * @throws ResponseTooLarge where that is above the limit.
   */
  constructor(
    private readonly limit: number,
    private readonly allocate: (size: number) => Bytes,
    length?: number,
  ) {
    this.expect(length ?? 0);
    this.#bytes = allocate(Math.min(length ?? INITIAL_CAPACITY, MAX_INITIAL_CAPACITY));
  }

  /** @throws ResponseTooLarge where so many bytes more are too many. */
  expect(count: number): void {
    if (this.#size + this.#framing + count > this.limit) throw new ResponseTooLarge(this.limit);
  }

  /** Counts bytes that belong to the framing. @throws ResponseTooLarge */
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

import { EMPTY } from "../util/bytes.js";

const INITIAL_SIZE = 4 * 1024;
/** Parts up to this many bytes are copied byte by byte, which beats a call into native code. */
const SHORT = 24;

/** Collects a body in one buffer, so that many small pieces take no more memory than their bytes. */
export class BodyBuffer {
  #bytes: Buffer = EMPTY;
  #size = 0;
  /** Whether the body is too long, or was refused. Then nothing of it is kept. */
  isOver = false;

  /**
   * @param max maximum size of the body in bytes
   * @param hold called with the bytes about to be allocated; false refuses the body
   */
  constructor(
    private readonly max: number,
    private readonly hold: (bytes: number) => boolean = () => true,
  ) {}

  append(source: Buffer, from: number, to: number): void {
    if (this.isOver) return;
    const size = this.#size + to - from;
    if (size > this.max || !this.#reserve(size)) {
      this.isOver = true;
      this.#bytes = EMPTY;
      return;
    }
    if (to - from > SHORT) source.copy(this.#bytes, this.#size, from, to);
    else for (let at = from; at < to; at++) this.#bytes[this.#size + at - from] = source[at]!;
    this.#size = size;
  }

  whole(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }

  /** Makes room for a body of a size. Returns false if it is refused. */
  #reserve(size: number): boolean {
    if (size <= this.#bytes.length) return true;
    const room = Math.min(this.max, Math.max(INITIAL_SIZE, 2 * this.#bytes.length, size));
    if (!this.hold(room - this.#bytes.length)) return false;
    const bytes = Buffer.allocUnsafeSlow(room);
    this.#bytes.copy(bytes, 0, 0, this.#size);
    this.#bytes = bytes;
    return true;
  }
}

import { EMPTY } from "../util/bytes.js";

const INITIAL_SIZE = 4 * 1024;

/** Collects a body in one buffer, so that many small pieces take no more memory than their bytes. */
export class BodyBuffer {
  #bytes: Buffer = EMPTY;
  #size = 0;
  /** Whether there was no room for what came. */
  refused = false;

  /**
   * @param max maximum bytes kept; further bytes are only counted
   * @param hold called with the bytes about to be allocated; false refuses them
   */
  constructor(
    readonly max: number,
    readonly hold: (bytes: number) => boolean = () => true,
  ) {}

  /** The number of bytes so far. */
  get size(): number {
    return this.#size;
  }

  /** Whether more came than is kept. */
  get overflown(): boolean {
    return this.#size > this.max;
  }

  append(source: Buffer, from: number, to: number): void {
    const before = this.#size;
    this.#size += to - from;
    if (this.overflown || this.refused) {
      this.#bytes = EMPTY;
      return;
    }
    if (this.#size > this.#bytes.length) {
      const room = Math.min(this.max, Math.max(INITIAL_SIZE, 2 * this.#bytes.length, this.#size));
      if (!this.hold(room - this.#bytes.length)) {
        this.refused = true;
        this.#bytes = EMPTY;
        return;
      }
      const bytes = Buffer.allocUnsafeSlow(room);
      this.#bytes.copy(bytes, 0, 0, before);
      this.#bytes = bytes;
    }
    source.copy(this.#bytes, before, from, to);
  }

  whole(): Buffer {
    return this.#bytes.subarray(0, this.#size);
  }
}

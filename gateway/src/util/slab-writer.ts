const SLAB = 64 * 1024;

/**
 * Writes byte sequences one after another. Small ones share an allocation, since one for each would cost more than the
 * bytes. A sequence that was returned is never written to again.
 */
export class SlabWriter {
  protected slab = Buffer.allocUnsafeSlow(SLAB);
  /** Start of the sequence that is being written. */
  protected start = 0;
  /** Index of the next byte. */
  protected at = 0;

  /** Makes room for `size` more bytes. Moves the unfinished sequence to a new slab if the present one is too small. */
  protected reserve(size: number): void {
    if (this.at + size > this.slab.length) this.#move(size);
  }

  #move(size: number): void {
    const written = this.at - this.start;
    const slab = Buffer.allocUnsafeSlow(Math.max(SLAB, 2 * written + size));
    this.slab.copy(slab, 0, this.start, this.at);
    this.slab = slab;
    this.start = 0;
    this.at = written;
  }

  /** Returns what was written from `from` on, and begins the next sequence. */
  protected take(from = this.start): Buffer {
    const done = this.slab.subarray(from, this.at);
    this.start = this.at;
    // A large sequence's slab is not kept for small ones.
    if (this.slab.length > 4 * SLAB) {
      this.slab = Buffer.allocUnsafeSlow(SLAB);
      this.start = 0;
      this.at = 0;
    }
    return done;
  }
}

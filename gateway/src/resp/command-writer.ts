import { Command } from "./command.js";

/** Small commands share an allocation of this many bytes. */
const SLAB = 64 * 1024;
/** Room for `*`, ten digits, CR and LF before the first argument: the number of arguments is known only at the end. */
const HEAD = 13;
/** The most that an argument needs beside its own bytes: `$`, ten digits, twice CR and LF. */
const AROUND = 15;

const LETTERS_COPIED_BY_HAND = 24;

/** Encodes commands argument by argument, straight from the bytes of a request into the bytes for Redis. */
export class CommandWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB);
  #start = 0;
  #at = 0;
  #args = 0;

  /** Starts a command, forgetting an unfinished one. */
  begin(): void {
    this.#args = 0;
    this.#at = this.#start + HEAD;
    this.#reserve(0);
  }

  /** Appends `source[from, to)` as an argument. */
  bytes(source: Buffer, from: number, to: number): void {
    const length = to - from;
    this.#header(length);
    const slab = this.#slab;
    let at = this.#at;
    if (length <= LETTERS_COPIED_BY_HAND) {
      for (let i = from; i < to; i++) slab[at++] = source[i]!;
    } else {
      source.copy(slab, at, from, to);
      at += length;
    }
    slab[at] = 0x0d;
    slab[at + 1] = 0x0a;
    this.#at = at + 2;
  }

  /** Appends text, as UTF-8, as an argument. */
  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#header(length);
    const slab = this.#slab;
    slab.write(text, this.#at, length, "utf8");
    const at = this.#at + length;
    slab[at] = 0x0d;
    slab[at + 1] = 0x0a;
    this.#at = at + 2;
  }

  /** The number of arguments so far. */
  get size(): number {
    return this.#args;
  }

  /** Ends the command. */
  end(): Command {
    const slab = this.#slab;
    let from = this.#start + HEAD;
    slab[--from] = 0x0a;
    slab[--from] = 0x0d;
    let args = this.#args;
    do {
      slab[--from] = 0x30 + (args % 10);
      args = Math.floor(args / 10);
    } while (args > 0);
    slab[--from] = 0x2a;
    const done = new Command(slab.subarray(from, this.#at), this.#args);
    this.#start = this.#at;
    // A large command's room is not kept for small ones.
    if (this.#slab.length > 4 * SLAB) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB);
      this.#start = 0;
    }
    return done;
  }

  #header(length: number): void {
    this.#reserve(length);
    this.#args++;
    const slab = this.#slab;
    let at = this.#at;
    slab[at++] = 0x24;
    if (length < 10) slab[at++] = 0x30 + length;
    else if (length < 100) {
      const tens = (length / 10) | 0;
      slab[at++] = 0x30 + tens;
      slab[at++] = 0x30 + length - tens * 10;
    } else {
      const digits = String(length);
      for (let i = 0; i < digits.length; i++) slab[at++] = digits.charCodeAt(i);
    }
    slab[at] = 0x0d;
    slab[at + 1] = 0x0a;
    this.#at = at + 2;
  }

  /** Makes room for an argument of `length` bytes, moving the unfinished command to a new slab if need be. */
  #reserve(length: number): void {
    const needed = this.#at + length + AROUND;
    if (needed <= this.#slab.length) return;
    const written = this.#at - this.#start;
    const slab = Buffer.allocUnsafeSlow(Math.max(SLAB, 2 * written + length + AROUND));
    this.#slab.copy(slab, 0, this.#start, Math.min(this.#at, this.#slab.length));
    this.#slab = slab;
    this.#start = 0;
    this.#at = written;
  }
}

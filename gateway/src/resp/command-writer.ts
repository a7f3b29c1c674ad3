import { CR, DOLLAR, LF, STAR, ZERO } from "../util/bytes.js";
import { Command } from "./command.js";

/** Room for `*`, ten digits, CR and LF before the first argument: the number of arguments is known only at the end. */
const HEADER_ROOM = 13;
/** Maximum number of bytes that an argument needs beside its own: `$`, ten digits, twice CR and LF. */
const ARG_OVERHEAD = 15;
/** Arguments up to this many bytes are copied byte by byte, which beats a call into native code. */
const SHORT = 24;

const SLAB = 64 * 1024;

/**
 * Encodes commands argument by argument, straight from the bytes of a request into the bytes for Redis. Small commands share an
 * allocation, since one for each would cost more than the bytes. A command that was returned is never written to again.
 */
export class CommandWriter {
  #slab = Buffer.allocUnsafeSlow(SLAB);
  /** Start of the command that is being written. */
  #start = 0;
  /** Index of the next byte. */
  #at = 0;
  #args = 0;

  /** Starts a command. An unfinished one is dropped. */
  begin(): void {
    this.#args = 0;
    this.#at = this.#start;
    this.#reserve(HEADER_ROOM + ARG_OVERHEAD);
    this.#at += HEADER_ROOM;
  }

  /** Appends `source[from, to)` as an argument. */
  bytes(source: Buffer, from: number, to: number): void {
    const length = to - from;
    this.#header(length);
    const slab = this.#slab;
    let at = this.#at;
    if (length <= SHORT) {
      for (let i = from; i < to; i++) slab[at++] = source[i]!;
    } else {
      source.copy(slab, at, from, to);
      at += length;
    }
    this.#lineEnd(at);
  }

  /** Appends text, as UTF-8, as an argument. */
  text(text: string): void {
    const length = Buffer.byteLength(text);
    this.#header(length);
    this.#slab.write(text, this.#at, length, "utf8");
    this.#lineEnd(this.#at + length);
  }

  end(): Command {
    const slab = this.#slab;
    let from = this.#start + HEADER_ROOM;
    slab[--from] = LF;
    slab[--from] = CR;
    let args = this.#args;
    do {
      slab[--from] = ZERO + (args % 10);
      args = Math.floor(args / 10);
    } while (args > 0);
    slab[--from] = STAR;
    const command = new Command(slab.subarray(from, this.#at), this.#args);
    this.#start = this.#at;
    // A large command's slab is not kept for small ones.
    if (slab.length > 4 * SLAB) {
      this.#slab = Buffer.allocUnsafeSlow(SLAB);
      this.#start = 0;
      this.#at = 0;
    }
    return command;
  }

  /** Makes room for `size` more bytes. Moves the unfinished command to a new slab if the current one is too small. */
  #reserve(size: number): void {
    if (this.#at + size <= this.#slab.length) return;
    const written = this.#at - this.#start;
    const slab = Buffer.allocUnsafeSlow(Math.max(SLAB, 2 * written + size));
    this.#slab.copy(slab, 0, this.#start, this.#at);
    this.#slab = slab;
    this.#start = 0;
    this.#at = written;
  }

  /** Writes the header of an argument, and makes room for the argument. */
  #header(length: number): void {
    this.#reserve(length + ARG_OVERHEAD);
    this.#args++;
    const slab = this.#slab;
    let at = this.#at;
    slab[at++] = DOLLAR;
    if (length < 10) slab[at++] = ZERO + length;
    else if (length < 100) {
      const tens = (length / 10) | 0;
      slab[at++] = ZERO + tens;
      slab[at++] = ZERO + length - tens * 10;
    } else {
      const digits = String(length);
      for (let i = 0; i < digits.length; i++) slab[at++] = digits.charCodeAt(i);
    }
    this.#lineEnd(at);
  }

  #lineEnd(at: number): void {
    const slab = this.#slab;
    slab[at] = CR;
    slab[at + 1] = LF;
    this.#at = at + 2;
  }
}

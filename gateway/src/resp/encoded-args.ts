import { slotOf } from "../redis/cluster/slot.js";
import { Command } from "./command.js";

const DOLLAR = 0x24;
const CR = 0x0d;

/** Where each argument of a command stands in its encoding. */
export class EncodedArgs {
  /** Where the header of each argument begins, and behind the last one the end. */
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  constructor(readonly command: Command) {
    const { bytes, size } = command;
    let at = bytes.indexOf(DOLLAR);
    for (let i = 0; i < size; i++) {
      this.#starts.push(at);
      let length = 0;
      for (at++; bytes[at] !== CR; at++) length = length * 10 + bytes[at]! - 0x30;
      this.#lengths.push(length);
      at += 2 + length + 2;
    }
    this.#starts.push(at);
  }

  /** The slot of argument `index`, taken for a key. */
  slot(index: number): number {
    const end = this.#starts[index + 1]! - 2;
    return slotOf(this.command.bytes, end - this.#lengths[index]!, end);
  }

  /** The bytes of argument `index`. */
  content(index: number): Buffer {
    const end = this.#starts[index + 1]! - 2;
    return this.command.bytes.subarray(end - this.#lengths[index]!, end);
  }

  /** The encodings of the arguments `[from, to)`. */
  slice(from: number, to: number): Buffer {
    return this.command.bytes.subarray(this.#starts[from], this.#starts[to]);
  }
}

/** A command of these encoded arguments. */
export function commandOf(size: number, args: readonly Buffer[]): Command {
  return new Command(Buffer.concat([Buffer.from(`*${size}\r\n`), ...args]), size);
}

import { Command } from "./command.js";

/** Returns all arguments of a command, byte by byte as text (Latin-1). */
export function argsOf(command: Command): string[] {
  const reader = command.argReader();
  const args: string[] = [];
  for (let left = command.size; left > 0; left--) args.push(reader.nextText());
  return args;
}

/** Whether every one of the arguments at `indexes` begins with `prefix`. */
export function allBeginWith(command: Command, indexes: readonly number[], prefix: Buffer): boolean {
  const args = new EncodedArgs(command);
  return indexes.every((index) => {
    const from = args.from(index);
    const to = from + prefix.length;
    return to <= args.to(index) && command.bytes.compare(prefix, 0, prefix.length, from, to) === 0;
  });
}

/** Builds a command of these arguments, each given byte by byte as text (Latin-1). */
export function commandOf(args: readonly string[]): Command {
  const parts = args.map((arg) => `$${arg.length}\r\n${arg}\r\n`);
  return new Command(Buffer.from(`*${args.length}\r\n${parts.join("")}`, "latin1"), args.length);
}

/** The bounds of a command's arguments in its encoding. */
export class EncodedArgs {
  /** Start of the header of each argument, then the end of the last one. */
  readonly #starts: number[] = [];
  readonly #lengths: number[] = [];

  constructor(readonly command: Command) {
    const reader = command.argReader();
    for (let i = 0; i < command.size; i++) {
      this.#starts.push(reader.at);
      const length = reader.nextLength();
      this.#lengths.push(length);
      reader.at += length + 2;
    }
    this.#starts.push(reader.at);
  }

  /** Returns the start of the content of argument `index`. */
  from(index: number): number {
    return this.to(index) - this.#lengths[index]!;
  }

  /** Returns the end of the content of argument `index`. */
  to(index: number): number {
    return this.#starts[index + 1]! - 2;
  }

  /** The bytes of argument `index`. */
  content(index: number): Buffer {
    return this.command.bytes.subarray(this.from(index), this.to(index));
  }

  /** The encodings of the arguments `[from, to)`. */
  slice(from: number, to: number): Buffer {
    return this.command.bytes.subarray(this.#starts[from], this.#starts[to]);
  }
}

/** Builds a command of `size` arguments that are encoded already. */
export function joinArgs(size: number, args: readonly Buffer[]): Command {
  return new Command(Buffer.concat([Buffer.from(`*${size}\r\n`), ...args]), size);
}

import { Command } from "./command.js";

/** Returns all arguments of a command, as Latin-1 text (one character per byte). */
export function argsOf(command: Command): string[] {
  const reader = command.argReader();
  return Array.from({ length: command.size }, () => reader.nextText());
}

/** Whether every one of the arguments at `indexes` begins with `prefix`. */
export function allBeginWith(command: Command, indexes: readonly number[], prefix: Buffer): boolean {
  return indexes.every((index) => {
    const reader = command.argReader(index);
    const length = reader.nextLength();
    return beginsWith(command.bytes, reader.at, reader.at + length, prefix);
  });
}

/** Whether `bytes[from, to)` begins with `prefix`. */
export function beginsWith(bytes: Buffer, from: number, to: number, prefix: Buffer): boolean {
  if (to - from < prefix.length) return false;
  for (let i = 0; i < prefix.length; i++) if (bytes[from + i] !== prefix[i]) return false;
  return true;
}

/** Builds a command from its arguments, as Latin-1 text (one character per byte). */
export function commandOf(args: readonly string[]): Command {
  const parts = args.map((arg) => `$${arg.length}\r\n${arg}\r\n`);
  return new Command(Buffer.from(`*${args.length}\r\n${parts.join("")}`, "latin1"), args.length);
}

/** Builds a command from `size` arguments that are already encoded as bulk strings. */
export function joinArgs(size: number, args: readonly Buffer[]): Command {
  return new Command(Buffer.concat([Buffer.from(`*${size}\r\n`), ...args]), size);
}

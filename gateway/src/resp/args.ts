import { Command } from "./command.js";

const DOLLAR = 0x24;
const CR = 0x0d;

/** Hands on where each argument of a command stands in its encoding, in one pass, until `take` returns false. */
export function eachArg(
  { bytes, size }: Command,
  take: (index: number, from: number, to: number) => boolean,
): void {
  let at = bytes.indexOf(DOLLAR);
  for (let i = 0; i < size; i++) {
    let length = 0;
    for (at++; bytes[at] !== CR; at++) length = length * 10 + bytes[at]! - 0x30;
    at += 2;
    if (!take(i, at, at + length)) return;
    at += length + 2;
  }
}

/** All arguments of a command, byte by byte as text (Latin-1). */
export function argsOf(command: Command): string[] {
  const args: string[] = [];
  eachArg(command, (_, from, to) => {
    args.push(command.bytes.toString("latin1", from, to));
    return true;
  });
  return args;
}

/** Whether every one of the arguments at `indexes` begins with `prefix`. */
export function allBeginWith(command: Command, indexes: readonly number[], prefix: Buffer): boolean {
  const { bytes } = command;
  const wanted = new Set(indexes);
  let all = true;
  eachArg(command, (index, from, to) => {
    if (!wanted.has(index)) return true;
    all =
      to - from >= prefix.length && bytes.compare(prefix, 0, prefix.length, from, from + prefix.length) === 0;
    return all && wanted.delete(index) && wanted.size > 0;
  });
  return all;
}

/** A command of these arguments, each given byte by byte as text (Latin-1). */
export function commandOf(args: readonly string[]): Command {
  const parts = args.map((arg) => `$${arg.length}\r\n${arg}\r\n`);
  return new Command(Buffer.from(`*${args.length}\r\n${parts.join("")}`, "latin1"), args.length);
}

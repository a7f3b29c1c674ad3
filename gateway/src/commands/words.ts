import type { Command } from "../upstream/command.js";

const DOLLAR = 0x24;
const CR = 0x0d;

/** All words of a command, byte by byte as text (Latin-1), in one pass over its encoding. */
export function wordsOf({ bytes, size }: Command): string[] {
  const words: string[] = [];
  let at = bytes.indexOf(DOLLAR);
  for (let i = 0; i < size; i++) {
    let length = 0;
    for (at++; bytes[at] !== CR; at++) length = length * 10 + bytes[at]! - 0x30;
    at += 2;
    words.push(bytes.toString("latin1", at, at + length));
    at += length + 2;
  }
  return words;
}

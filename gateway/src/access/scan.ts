import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import type { Prefix } from "./prefix.js";

/** The replacement of a command, and the conversion of its reply. */
export interface Rewrite {
  readonly command: Command;
  readonly reply: (reply: Buffer) => Buffer;
}

const STAR = 0x2a;
const DOLLAR = 0x24;
const CR = 0x0d;
const MINUS = 0x2d;
const UNEXPECTED = Buffer.from("-ERR Redis sent a reply that can't be limited to the prefix\r\n");

/**
 * Restricts SCAN and KEYS to a prefix. Returns null for any other command. If the command has no pattern, one is added. The
 * names in the reply are always filtered, so that no pattern finds other keys.
 */
export function scanWithin(command: Command, prefix: Prefix): Rewrite | null {
  if (command.name === "KEYS") {
    const narrow = command.size === 2 && command.text(1) === "*";
    return {
      command: narrow ? commandOf(["KEYS", `${prefix.glob}*`]) : command,
      reply: (reply) => namesWithin(reply, prefix),
    };
  }
  if (command.name !== "SCAN") return null;
  const args = argsOf(command);
  const hasPattern = args.some((arg, at) => at > 1 && arg.toUpperCase() === "MATCH");
  return {
    command: hasPattern ? command : commandOf([...args, "MATCH", `${prefix.glob}*`]),
    reply: (reply) => pageWithin(reply, prefix),
  };
}

/** A page of SCAN: the cursor as it is, and the names that the prefix covers. */
function pageWithin(reply: Buffer, prefix: Prefix): Buffer {
  if (reply[0] === MINUS) return reply;
  // *2, the cursor as a bulk string, the names.
  const head = lineEnd(reply, 0);
  if (reply.toString("latin1", 0, head) !== "*2" || reply[head + 2] !== DOLLAR) return UNEXPECTED;
  const cursorEnd = bulkEnd(reply, head + 2);
  const names = namesWithin(reply.subarray(cursorEnd), prefix);
  return names === UNEXPECTED ? UNEXPECTED : Buffer.concat([reply.subarray(0, cursorEnd), names]);
}

/** A list of names, without those that the prefix does not cover. */
function namesWithin(reply: Buffer, prefix: Prefix): Buffer {
  if (reply[0] === MINUS) return reply;
  if (reply[0] !== STAR) return UNEXPECTED;
  const kept: Buffer[] = [];
  let at = lineEnd(reply, 0) + 2;
  while (at < reply.length) {
    if (reply[at] !== DOLLAR) return UNEXPECTED;
    const end = bulkEnd(reply, at);
    const from = lineEnd(reply, at) + 2;
    if (prefix.covers(reply.toString("latin1", from, end - 2))) kept.push(reply.subarray(at, end));
    at = end;
  }
  return Buffer.concat([Buffer.from(`*${kept.length}\r\n`), ...kept]);
}

function lineEnd(reply: Buffer, from: number): number {
  return reply.indexOf(CR, from);
}

/** Where a bulk string that begins at `at` ends, its last line break included. */
function bulkEnd(reply: Buffer, at: number): number {
  const end = lineEnd(reply, at);
  return end + 2 + Number(reply.toString("latin1", at + 1, end)) + 2;
}

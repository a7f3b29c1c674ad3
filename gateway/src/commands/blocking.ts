import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";
import { STREAM_OPTIONS } from "./keys-by-options.js";

/** Commands whose last argument is a timeout. Those that begin with B take seconds, others milliseconds. */
const TIMEOUT_LAST = new Set("BLPOP BRPOP BRPOPLPUSH BLMOVE BZPOPMIN BZPOPMAX".split(" "));
/** The index of the timeout of the others. */
const TIMEOUT_AT = new Map(Object.entries({ BLMPOP: 1, BZMPOP: 1, BLMOVEM: 5, WAIT: 2, WAITAOF: 3 }));

/**
 * Returns the longest wait of a command at the server, in ms: `Infinity` for one without a timeout, null for one that never
 * waits, and 0 for an invalid timeout, which Redis refuses at once.
 */
export function waitOf(command: Command): number | null {
  const found = timeoutOf(command);
  return found && milliseconds(command.text(found.at), found.unit);
}

/**
 * Returns what is left of a blocking command that has waited at one server and goes to another one: the command with the rest of
 * its wait, that rest in ms, and the deadline for its reply.
 * @param wait its wait so far
 * @param end the end of its wait and of its reply's timeout, on the clock of `performance.now()`
 * @param timeout time in ms for its reply after the wait
 */
export function restOfWait(command: Command, wait: number, end: number, timeout: number) {
  const now = performance.now();
  const deadline = Math.min(now + timeout, end);
  const left = Math.max(1, end - timeout - now);
  if (left >= wait) return { command, wait, deadline };
  const { at, unit } = timeoutOf(command)!;
  const args = argsOf(command);
  args[at] = String(Math.ceil(left) / unit);
  return { command: commandOf(args), wait: left, deadline };
}

/** Returns the index of a command's timeout, and its unit in ms; null for a command that never waits. */
function timeoutOf(command: Command): { at: number; unit: number } | null {
  const { name } = command;
  if (name === "XREAD" || name === "XREADGROUP") {
    const at = blockOption(command);
    return at < 0 ? null : { at, unit: 1 };
  }
  const at = TIMEOUT_LAST.has(name) ? command.size - 1 : TIMEOUT_AT.get(name);
  return at === undefined ? null : { at, unit: name.startsWith("B") ? 1_000 : 1 };
}

/** Returns the index of the value of BLOCK among the options of XREAD and XREADGROUP, or -1. */
function blockOption(command: Command): number {
  for (let i = 1; i < command.size - 1; i++) {
    const option = command.upper(i);
    if (option === "BLOCK") return i + 1;
    if (option === "STREAMS") return -1;
    i += STREAM_OPTIONS.get(option) ?? 0;
  }
  return -1;
}

function milliseconds(text: string, unit: number): number {
  const value = text === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value) || value < 0) return 0;
  return value === 0 ? Number.POSITIVE_INFINITY : value * unit;
}

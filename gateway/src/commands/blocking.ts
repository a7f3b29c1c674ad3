import { argsOf, commandOf } from "../resp/args.js";
import type { Command } from "../resp/command.js";

type Position = number | "last";

/** Commands that wait at the server: where their timeout stands, and how many ms one unit of it is. */
const WAITS: Readonly<Record<string, readonly [Position, number]>> = {
  BLPOP: ["last", 1_000],
  BRPOP: ["last", 1_000],
  BRPOPLPUSH: ["last", 1_000],
  BLMOVE: ["last", 1_000],
  BZPOPMIN: ["last", 1_000],
  BZPOPMAX: ["last", 1_000],
  BLMPOP: [1, 1_000],
  BZMPOP: [1, 1_000],
  WAIT: [2, 1],
  WAITAOF: [3, 1],
};

/**
 * Returns the longest wait of a command at the server, in ms: `Infinity` for one without a timeout, null for one that never
 * waits, and 0 for an invalid timeout, which Redis refuses at once.
 */
export function waitOf(command: Command): number | null {
  const found = timeoutOf(command);
  return found && milliseconds(command.text(found.at), found.unit);
}

/** Returns a blocking command with `wait` ms, above zero, as its timeout. */
export function waitingFor(command: Command, wait: number): Command {
  const { at, unit } = timeoutOf(command)!;
  const args = argsOf(command);
  args[at] = String(Math.ceil(wait) / unit);
  return commandOf(args);
}

/** Returns the index of a command's timeout, and its unit in ms; null for a command that never waits. */
function timeoutOf(command: Command): { at: number; unit: number } | null {
  const { name } = command;
  if (name === "XREAD" || name === "XREADGROUP") {
    const at = blockOption(command);
    return at < 0 ? null : { at, unit: 1 };
  }
  const row = Object.hasOwn(WAITS, name) ? WAITS[name] : undefined;
  if (!row) return null;
  const [position, unit] = row;
  return { at: position === "last" ? command.size - 1 : position, unit };
}

/** Returns the index of the value of BLOCK among the options of XREAD and XREADGROUP, or -1. */
function blockOption(command: Command): number {
  for (let i = 1; i < command.size - 1; i++) {
    const option = command.upper(i);
    if (option === "BLOCK") return i + 1;
    if (option === "STREAMS") return -1;
    if (option === "GROUP") i += 2;
    else if (option === "COUNT") i += 1;
  }
  return -1;
}

function milliseconds(text: string, unit: number): number {
  const value = text === "" ? Number.NaN : Number(text);
  if (Number.isNaN(value) || value < 0) return 0;
  return value === 0 ? Number.POSITIVE_INFINITY : value * unit;
}

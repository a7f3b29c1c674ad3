import { getCommandInfo } from "../commands/command-info.js";
import type { Command } from "../resp/command.js";
import { isError, lineOf } from "../resp/replies.js";
import { UpstreamFailure } from "./failure.js";

const REFUSALS = [
  "BUSY",
  "CLUSTERDOWN",
  "LOADING",
  "MASTERDOWN",
  "READONLY",
  "TRYAGAIN",
  "UNBLOCKED",
] as const;
/** The code of an error by which a server refuses a command that it, or another one, may run later. */
export type Refusal = (typeof REFUSALS)[number];

/** If EXEC runs nothing, its error quotes the one that caused it. */
const REFUSAL = new RegExp(`^(?:EXECABORT Transaction discarded because of: )?(${REFUSALS.join("|")})[ \\r]`);
/** Redis sends other errors of this code when the role of the server changes. */
const UNBLOCKED_BY_CLIENT = /^UNBLOCKED client unblocked via CLIENT UNBLOCK/;
/**
 * The texts of Redis and Valkey. A script may reply with any error, after it has written. Before version 7, Redis quotes the error
 * that ended a script.
 */
const OF_SERVER =
  /^(?:BUSY \w+ is busy running |CLUSTERDOWN (?:The cluster is down|Hash slot not served)|LOADING \w+ is loading the dataset|MASTERDOWN Link with |READONLY (?:You can't write against a read only |Can not run script with write flag on readonly )|TRYAGAIN Multiple keys request |ERR Error running script .*: -READONLY You can't write against a read only )/;
/** Number of characters that are compared: more than the longest of these texts has. */
const LONGEST = 300;

/**
 * Returns the code of an error reply by which the server refused a command: it was not run, and may be run later. Returns null for
 * any other reply, such as an error of the same code that a script returns.
 * @param command the command; null if it runs no script
 */
export function refusalOf(reply: Buffer, command: Command | null): Refusal | null {
  if (!isError(reply)) return null;
  const text = reply.toString("latin1", 1, Math.min(reply.length, LONGEST));
  if (command && mayRunScript(command)) {
    if (!OF_SERVER.test(text)) return null;
    if (text.startsWith("ERR ")) return "READONLY";
  }
  const code = REFUSAL.exec(text)?.[1];
  return code === undefined || UNBLOCKED_BY_CLIENT.test(text) ? null : (code as Refusal);
}

/** Whether a command's reply may be an error of a script or a module, with any text. */
export function mayRunScript(command: Command): boolean {
  const info = getCommandInfo(command);
  return info === null || info.group === "scripting";
}

/** The failure of a command that was refused for as long as it could wait. */
export function refusedFailure(reply: Buffer): UpstreamFailure {
  return new UpstreamFailure("unreachable", `Redis refuses commands at present: ${lineOf(reply)}`);
}

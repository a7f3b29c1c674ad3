import { getCommandInfo } from "../commands/command-info.js";
import { getKeyIndexes } from "../commands/keys.js";
import type { Command } from "../resp/command.js";

/** The facts about a command after its reply or failure. It holds no value, and no argument except keys. */
export interface TracedCommand {
  /** Upper-case name with subcommand, such as `SET` or `OBJECT ENCODING`. `(unknown)` if Redis has no such command. */
  readonly name: string;
  /** The command's keys. Empty if it has none, or if they can't be determined. */
  readonly keys: readonly string[];
  /** Time in ms from passing the command on to its reply. */
  readonly ms: number;
  /** Null on success, else the error's code, from Redis or the gateway: `UNSENT`, `UNKNOWNOUTCOME`, `TRYAGAIN`. */
  readonly error: string | null;
  /** Whether it ran between MULTI and EXEC. */
  readonly transaction: boolean;
}

/** Called for every command after its reply or failure. Errors that it throws are ignored. */
export type CommandListener = (command: TracedCommand) => void;

export function describe(
  command: Command,
  ms: number,
  error: string | null,
  transaction: boolean,
): TracedCommand {
  const info = getCommandInfo(command);
  const indexes = (info && getKeyIndexes(command, info)) ?? [];
  return {
    name: info?.name ?? "(unknown)",
    keys: indexes.map((place) => command.content(place).toString()),
    ms,
    error,
    transaction,
  };
}

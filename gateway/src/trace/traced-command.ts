import { getCommandInfo } from "../commands/command-info.js";
import { getKeyIndexes } from "../commands/keys.js";
import type { Command } from "../upstream/command.js";

/** A command that was answered, or failed: what may be shown of it. It holds no value, and no argument but keys. */
export interface TracedCommand {
  /** In upper case, with its subcommand: `SET`, `OBJECT ENCODING`; `(unknown)` for what Redis has no such command. */
  readonly name: string;
  /** The keys that it names; empty when it has none, or when they can't be told. */
  readonly keys: readonly string[];
  /** From when it was handed on until its reply came, in ms. */
  readonly ms: number;
  /** Null when it succeeded; else the first word of Redis's error, or the gateway's: `UNSENT`, `UNKNOWNOUTCOME`, `TRYAGAIN`. */
  readonly error: string | null;
  /** Whether it ran between MULTI and EXEC. */
  readonly transaction: boolean;
}

/** Told of every command once its outcome is known. What it throws is ignored. */
export type CommandListener = (command: TracedCommand) => void;

/** The first word of an error of Redis, which is never data. */
export function errorCode(text: string): string {
  return /^[A-Z][A-Z0-9_]*/.exec(text)?.[0] ?? "ERR";
}

/** Describes a command. */
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
    keys: indexes.map((place) => Buffer.from(command.text(place), "latin1").toString()),
    ms,
    error,
    transaction,
  };
}

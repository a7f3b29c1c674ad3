import type { Command } from "../resp/command.js";
import { TABLE } from "./table.js";

/** The facts about a command, from Redis's own description of it. */
export interface CommandInfo {
  /** In upper case; that of a subcommand with its container's, such as `CONFIG SET`. */
  readonly name: string;
  /** Redis's group, such as `string`; `module:` and its prefix; `newer` for what came after Redis 7.4. */
  readonly group: string;
  /** The number of arguments, the name's included; negative for the least number; 0 when it is not known. */
  readonly arity: number;
  /** May change data. */
  readonly write: boolean;
  /** Whether it only reads, so that it may be repeated and run on a replica. Some commands are neither reads nor writes. */
  readonly readonly: boolean;
  /** May wait at the server. */
  readonly blocking: boolean;
  /** No script may call it. */
  readonly noscript: boolean;
  /** Administers the server. */
  readonly admin: boolean;
  /** Concerns channels rather than keys. */
  readonly pubsub: boolean;
  /** The nodes of a cluster that it goes to (`all_shards`, `multi_shard`, ...); null: the one of its keys, or any. */
  readonly requestPolicy: string | null;
  /** The way to combine the replies of several nodes (`agg_sum`, ...); null: none, or in the order of its keys. */
  readonly responsePolicy: string | null;
  /** The positions of its keys, in the table's notation: see `getKeyIndexes`. */
  readonly keys: string;
  /** Its place in the table, from 0 on. */
  readonly id: number;
}

const all = new Map<string, CommandInfo>();
const containers = new Set<string>();

for (const row of TABLE.trim().split("\n")) {
  const [path = "", group = "", arity, flags = "", keys = "-", request = "-", response = "-"] =
    row.split(" ");
  const name = path.replace("|", " ");
  if (name !== path) containers.add(path.slice(0, path.indexOf("|")));
  all.set(name, {
    name,
    group,
    arity: Number(arity),
    write: flags.includes("w"),
    readonly: flags.includes("r"),
    blocking: flags.includes("b"),
    noscript: flags.includes("n"),
    admin: flags.includes("a"),
    pubsub: flags.includes("p"),
    requestPolicy: request === "-" ? null : request,
    responsePolicy: response === "-" ? null : response,
    keys,
    id: all.size,
  });
}

export const COMMAND_COUNT = all.size;

/** Returns the facts about a command, or null if it or its subcommand is unknown. */
export function getCommandInfo(command: Command): CommandInfo | null {
  const { name } = command;
  if (containers.has(name) && command.size > 1) return all.get(`${name} ${command.upper(1)}`) ?? null;
  return all.get(name) ?? null;
}

/** Whether a full name is that of a known command. */
export function isKnown(name: string): boolean {
  return all.has(name);
}

/** Every known command. */
export function allCommandInfo(): Iterable<CommandInfo> {
  return all.values();
}

/** Whether a command is known to change nothing. */
export function isRead(command: Command): boolean {
  return getCommandInfo(command)?.readonly ?? false;
}

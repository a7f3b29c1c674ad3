import type { Command } from "../resp/command.js";
import { TABLE } from "./table.js";

/** The facts about a command, from Redis's own description of it. */
export type CommandInfo = Readonly<ReturnType<typeof infoOf>>;

/** Reads the facts of a row of the table: group, arity, `r` for reads, positions of keys, request policy, response policy. */
function infoOf(name: string, row: string, id: number) {
  const [group = "", arity, access, keys = "-", request = "-", response = "-"] = row.split(" ");
  return {
    /** In upper case; that of a subcommand with its container's, such as `CONFIG SET`. */
    name,
    /** Redis's group, such as `string`; `module:` and its prefix; `newer` for what came after Redis 7.4. */
    group,
    /** The number of arguments, including the name. Negative: the minimum number. 0: unknown. */
    arity: Number(arity),
    /** Whether it only reads, so that it may be repeated and run on a replica. Some commands are neither reads nor writes. */
    readonly: access === "r",
    /** The nodes of a cluster that it goes to (`all_shards`, `multi_shard`, ...). Null: the node of its keys, or any node. */
    requestPolicy: request === "-" ? null : request,
    /** The way to combine the replies of several nodes (`agg_sum`, ...). Null: they are not combined, or put in the order of its keys. */
    responsePolicy: response === "-" ? null : response,
    /** The positions of its keys, in the table's notation: see `getKeyIndexes`. */
    keys,
    /** Its place among all commands, from 0 on. */
    id,
  };
}

const rowOf = new Map<string, string>();
for (const row of TABLE.trim().split("\n")) {
  const [facts = "", names = ""] = row.split(": ");
  for (const name of names.split(" ")) rowOf.set(name.replace("|", " "), facts);
}
const infos: readonly CommandInfo[] = [...rowOf.keys()]
  .sort()
  .map((name, id) => infoOf(name, rowOf.get(name)!, id));
const byName = new Map(infos.map((info) => [info.name, info] as const));
const containers = new Set(
  infos.filter(({ name }) => name.includes(" ")).map(({ name }) => name.split(" ")[0]!),
);

/** Returns the facts about a command, or null if it or its subcommand is unknown. */
export function getCommandInfo(command: Command): CommandInfo | null {
  const { name } = command;
  if (containers.has(name) && command.size > 1) return byName.get(`${name} ${command.upper(1)}`) ?? null;
  return byName.get(name) ?? null;
}

/** Whether a full name is that of a known command. */
export function isKnown(name: string): boolean {
  return byName.has(name);
}

/** Every known command. */
export function allCommandInfo(): readonly CommandInfo[] {
  return infos;
}

/** Whether a command is known to change nothing. */
export function isRead(command: Command): boolean {
  return getCommandInfo(command)?.readonly ?? false;
}

import { allCommandInfo, type CommandInfo } from "../commands/command-info.js";
import { namesIn } from "./denial-reasons.js";

/**
 * The role of a token.
 *
 * - `admin`: every command that the gateway allows
 * - `standard`: data, scripts and channels, but no command that administers a server
 * - `read-only`: reads of named keys, so neither KEYS nor SCAN
 * - `metrics`: no command, only `/metrics`
 */
export type Role = "admin" | "standard" | "read-only" | "metrics";

export const ROLES: readonly Role[] = ["admin", "standard", "read-only", "metrics"];

/** Groups whose commands read and write data. */
const DATA_GROUPS = namesIn(
  "bitmap generic geo hash hyperloglog json list newer set sorted_set stream string",
);

/** Commands of a data group that are for administrators, or whose arguments can bring a server down. */
const NOT_STANDARD = namesIn(
  `MIGRATE RESTORE-ASKING TRIMSLOTS XIDMPRECORD PFDEBUG PFSELFTEST BF.DEBUG CF.DEBUG JSON.DEBUG
TIMESERIES.REFRESHCLUSTER`,
);

/** Containers of the newer commands that administer a server or change a connection. */
const NOT_STANDARD_CONTAINERS = new Set(["BACKUP", "CLUSTER", "HIMPORT", "HOTKEYS"]);

const STANDARD_BESIDE = namesIn(
  `PING ECHO TIME LOLWUT DBSIZE FLUSHALL FLUSHDB RANDOMKEY INFO PUBLISH SPUBLISH EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL
FCALL_RO SCRIPT|EXISTS SCRIPT|LOAD FUNCTION|LIST PUBSUB|CHANNELS PUBSUB|NUMPAT PUBSUB|NUMSUB PUBSUB|SHARDCHANNELS
PUBSUB|SHARDNUMSUB MEMORY|USAGE COMMAND COMMAND|COUNT COMMAND|DOCS COMMAND|GETKEYS COMMAND|GETKEYSANDFLAGS COMMAND|INFO
COMMAND|LIST`,
);

/** Reads that find keys not named in the command, run code, or inspect the server. */
const NOT_READ_ONLY = namesIn(
  `KEYS SCAN RANDOMKEY INFO EVAL_RO EVALSHA_RO FCALL_RO FT.CURSOR FT.CURSOR|GC FT.DICTDUMP FT.PROFILE TS.MGET TS.MRANGE
TS.MREVRANGE TS.QUERYINDEX TS.QUERYLABELS CLUSTER|SLOT-STATS`,
);

function isStandard({ name, group }: CommandInfo): boolean {
  if (STANDARD_BESIDE.has(name)) return true;
  if (NOT_STANDARD.has(name) || NOT_STANDARD_CONTAINERS.has(name.split(" ")[0]!)) return false;
  return DATA_GROUPS.has(group) || group.startsWith("module:");
}

function isReadOnly(info: CommandInfo): boolean {
  return info.readonly && isStandard(info) && !NOT_READ_ONLY.has(info.name);
}

/** The full names of the known commands for which a test holds. */
export function namesOf(test: (info: CommandInfo) => boolean): ReadonlySet<string> {
  return new Set([...allCommandInfo()].filter(test).map(({ name }) => name));
}

/** The names, as in {@link CommandInfo}, of the commands that a role allows; null for all. */
export const COMMANDS_OF: Readonly<Record<Role, ReadonlySet<string> | null>> = {
  admin: null,
  standard: namesOf(isStandard),
  "read-only": namesOf(isReadOnly),
  metrics: new Set(),
};

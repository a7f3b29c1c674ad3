import { getCommandInfo, isKnown } from "../commands/command-info.js";
import { GATEWAYS_CHANNEL } from "../numbers/presence.js";
import type { Command } from "../resp/command.js";

/** Returns the names in a list. The list has a bar between a container and its subcommand. */
export function namesIn(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/).map((name) => name.replace("|", " ")));
}

/**
 * Commands that must never reach a shared connection. They change its state or its protocol, get more or fewer than one
 * reply, or close it. `POST` and `HOST:` are included because Redis takes them for an attack by a browser and closes the
 * connection.
 */
const NEVER = namesIn(
  `ASKING AUTH DISCARD EXEC HELLO HIMPORT HOST: MONITOR MULTI POST PSUBSCRIBE PSYNC PUNSUBSCRIBE QUIT READONLY
READWRITE REPLCONF RESET RESTORE-ASKING SCRIPT|DEBUG SELECT SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE SYNC UNSUBSCRIBE UNWATCH
WATCH`,
);

/** Commands that administer a server rather than use it: refused until they are opened by name. */
const CLOSED = namesIn(
  `BACKUP CLUSTER|ADDSLOTS CLUSTER|ADDSLOTSRANGE CLUSTER|BUMPEPOCH CLUSTER|DELSLOTS CLUSTER|DELSLOTSRANGE CLUSTER|FAILOVER
CLUSTER|FLUSHSLOTS CLUSTER|FORGET CLUSTER|MEET CLUSTER|MIGRATION CLUSTER|REPLICATE CLUSTER|RESET CLUSTER|SAVECONFIG
CLUSTER|SET-CONFIG-EPOCH CLUSTER|SETSLOT CLUSTER|SYNCSLOTS CONFIG DEBUG FAILOVER MIGRATE MODULE REPLICAOF SFLUSH SHUTDOWN
SLAVEOF TRIMSLOTS`,
);

/** The subcommands of CLIENT that can be opened, since the others change a connection. */
const CLIENT = namesIn(
  "CLIENT|GETNAME CLIENT|ID CLIENT|INFO CLIENT|KILL CLIENT|LIST CLIENT|PAUSE CLIENT|UNBLOCK CLIENT|UNPAUSE",
);

const CONTAINERS = new Set(["CLIENT", "CLUSTER", "SCRIPT"]);
const WAITS_FOR_REPLICAS = new Set(["WAIT", "WAITAOF"]);

/** Redis before 7 hangs up on a command of more arguments. */
const MAX_ARGS = 1024 * 1024;

/** The kind of request that a command is part of, and the number of commands before it in a pipeline. */
export type CommandContext = {
  readonly kind: "single" | "pipeline" | "transaction";
  readonly before: number;
};

/**
 * The error text for a command that is refused to everyone, or null for one that may go to Redis.
 * @param opened commands of the closed list that were opened, in upper case: `CONFIG`, or `CONFIG GET` alone. Default: none
 */
export function denialReason(
  command: Command,
  context: CommandContext,
  opened: ReadonlySet<string> = new Set(),
): string | null {
  const { name } = command;
  const full = CONTAINERS.has(name) ? `${name} ${command.upper(1)}` : name;
  if (NEVER.has(name)) return refused(name);
  if (NEVER.has(full)) return refused(full);
  if (name === "CLIENT" && !CLIENT.has(full)) return refused(name);
  const isClosed = CLOSED.has(name) || CLOSED.has(full) || name === "CLIENT";
  if (isClosed && !isOpened(command, opened)) return closed(CLOSED.has(full) ? full : name, command);
  if (name === "PUBLISH" && command.text(1) === GATEWAYS_CHANNEL)
    return `NOPERM only gateways may publish on the channel ${GATEWAYS_CHANNEL}`;
  if (command.size > MAX_ARGS) return `ERR the command has more than ${MAX_ARGS} arguments`;
  if (WAITS_FOR_REPLICAS.has(name) && (context.kind !== "pipeline" || context.before === 0)) {
    return `NOPERM '${name.toLowerCase()}' waits for writes of its own connection: send it in a pipeline, after them`;
  }
  return null;
}

/** The error text for a command that is not allowed. */
export function refused(name: string): string {
  return `NOPERM this user has no permissions to run the '${name.toLowerCase()}' command`;
}

/** The error text for a command that is closed until the gateway is started with a setting that opens it. */
function closed(name: string, command: Command): string {
  const setting = getCommandInfo(command)?.name ?? command.name;
  return `${refused(name)}; --allow-command "${setting}" opens it to admin tokens`;
}

function isOpened(command: Command, opened: ReadonlySet<string>): boolean {
  if (opened.size === 0) return false;
  return opened.has(command.name) || opened.has(`${command.name} ${command.upper(1)}`);
}

/**
 * Reads the names of commands that are to be opened.
 * @throws {TypeError} for one that can't be, with the reason
 */
export function openedCommands(names: readonly string[]): ReadonlySet<string> {
  const opened = names.map(fullName);
  for (const [at, name] of opened.entries()) {
    const shown = isKnown(name) ? name : `entry ${at + 1}`;
    const [container = ""] = name.split(" ");
    if (NEVER.has(container) || NEVER.has(name) || (container === "CLIENT" && !CLIENT.has(name))) {
      throw new TypeError(
        `allowCommand: ${shown} can't be allowed: it would change a connection that clients share`,
      );
    }
    if (container !== "CLIENT" && !CLOSED.has(container) && !CLOSED.has(name))
      throw new TypeError(`allowCommand: ${shown} is allowed already, or is not a command`);
  }
  return new Set(opened);
}

/** Returns a command's name in settings, such as `config|get`, in the form of `CommandInfo`: `CONFIG GET`. */
export function fullName(name: string): string {
  return name
    .trim()
    .toUpperCase()
    .replace(/[\s|]+/g, " ");
}

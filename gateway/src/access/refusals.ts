import type { Command } from "../upstream/command.js";

/**
 * Commands that must never reach a connection that others share: they change its state or its protocol, answer
 * with more or fewer than one reply, end it, or administer the server. `POST` and `HOST:` are there because
 * Redis takes them for an attack by a browser and hangs up.
 */
const REFUSED = new Set([
  "ASKING",
  "AUTH",
  "CLIENT",
  "CONFIG",
  "DEBUG",
  "DISCARD",
  "EXEC",
  "FAILOVER",
  "HELLO",
  "HOST:",
  "MIGRATE",
  "MODULE",
  "MONITOR",
  "MULTI",
  "POST",
  "PSUBSCRIBE",
  "PSYNC",
  "PUNSUBSCRIBE",
  "QUIT",
  "READONLY",
  "READWRITE",
  "REPLCONF",
  "REPLICAOF",
  "RESET",
  "RESTORE-ASKING",
  "SELECT",
  "SHUTDOWN",
  "SLAVEOF",
  "SSUBSCRIBE",
  "SUBSCRIBE",
  "SUNSUBSCRIBE",
  "SYNC",
  "UNSUBSCRIBE",
  "UNWATCH",
  "WATCH",
]);

/** The same for single subcommands, by the names of their containers. */
const REFUSED_SUBCOMMANDS = new Set(["SCRIPT DEBUG"]);
const CONTAINERS = new Set(["SCRIPT"]);

const WAITS_FOR_REPLICAS = new Set(["WAIT", "WAITAOF"]);

/** Redis before 7 hangs up on a command of more words. */
const MOST_WORDS = 1024 * 1024;

/** Where a command stands: alone, in a pipeline (behind `before` other commands), in a transaction. */
export type Place = { readonly kind: "single" | "pipeline" | "transaction"; readonly before: number };

/** The error text for a command that is refused, or null for one that may go to Redis. */
export function refusal(command: Command, place: Place): string | null {
  const { name } = command;
  if (REFUSED.has(name)) return refused(name);
  if (CONTAINERS.has(name)) {
    const full = `${name} ${command.upper(1)}`;
    if (REFUSED_SUBCOMMANDS.has(full)) return refused(full);
  }
  if (command.size > MOST_WORDS) return `ERR a command of more than ${MOST_WORDS} words`;
  if (WAITS_FOR_REPLICAS.has(name) && (place.kind !== "pipeline" || place.before === 0)) {
    return `NOPERM '${name.toLowerCase()}' waits for writes of its own connection: send it in a pipeline, after them`;
  }
  return null;
}

function refused(name: string): string {
  return `NOPERM this user has no permissions to run the '${name.toLowerCase()}' command`;
}

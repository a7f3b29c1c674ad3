import {
  type CommandPlan,
  type createRedisCommandExecutor,
  RedisCommandError,
  type RedisDatabase,
  type RedisExecutionContext,
  RedisResult,
} from "js-redis-server/core";
import { countKeys, peek, stringLength } from "./keyspace.js";
import { type EmbeddedLimits, sizeText } from "./limits.js";
import { MemoryGauge } from "./memory-gauge.js";
import type { StoredValue } from "./stored-value.js";

type ExecutorOptions = NonNullable<Parameters<typeof createRedisCommandExecutor>[0]>;
/** Runs before or after each command. */
export type ExecutionPolicy = NonNullable<ExecutorOptions["policies"]>[number];

/** Commands that add data although they have no flag for it: scripts and functions are kept, messages wait for readers. */
const ALSO_ADD = new Set(["eval", "eval_ro", "publish", "spublish"]);
/** Commands that add as many bytes as other keys hold. Their arguments do not show the amount. */
const COPY_KEYS = new Set(["copy", "bitop", "sort", "georadius", "georadiusbymember", "pfmerge"]);
/** Approximate overhead of a key, field or element, in bytes, in addition to its own bytes. */
const OVERHEAD_BYTES = 200;
/** The longest text of a score. */
const SCORE_BYTES = 24;

/**
 * Refuses, before they run, commands that would take the embedded engine beyond its limits. Runs for
 * each command of a transaction as it is queued, and for each call inside a script.
 */
export function createGuards(limits: EmbeddedLimits): ExecutionPolicy {
  const gauge = new MemoryGauge(limits.maxMemoryBytes);
  return {
    name: "limits",
    beforeExecute(plan, ctx) {
      const name = plan.definition.name;
      const length = resultingLength(name, plan.rawArgs, ctx.db);
      if (length > limits.maxStringBytes) {
        return refuse(
          `string exceeds maximum allowed size (${sizeText(limits.maxStringBytes)} in the embedded engine)`,
        );
      }
      if (replyLength(name, plan.rawArgs, ctx.db) > limits.maxReplyBytes) {
        return refuse(replyTooLarge(limits));
      }
      if (name === "flushall" || name === "flushdb") gauge.lookAgain();
      if (!adds(plan)) return;
      let bytes = Math.max(length, 0);
      for (const arg of plan.rawArgs) bytes += arg.length + OVERHEAD_BYTES;
      if (!gauge.admits(bytes)) {
        return refuse(
          `command not allowed when used memory > ${sizeText(limits.maxMemoryBytes)}, the embedded engine's limit; delete keys or FLUSHALL`,
          "OOM",
        );
      }
      if (COPY_KEYS.has(name) || name.endsWith("store")) gauge.lookAgain();
      if (countKeys(ctx.server) >= limits.maxKeys && addsKey(plan, ctx)) {
        return refuse(`command not allowed: the embedded engine's limit is ${limits.maxKeys} keys`, "OOM");
      }
      return;
    },
  };
}

function replyTooLarge({ maxReplyBytes }: EmbeddedLimits): string {
  return `reply would exceed ${sizeText(maxReplyBytes)}, the embedded engine's limit`;
}

/**
 * Checks the length of a reply, in bytes, for commands that know it only once they have its values.
 * @throws RedisCommandError beyond the limit
 */
export function checkReplyLength(length: number, limits: EmbeddedLimits): void {
  if (length > limits.maxReplyBytes) throw new RedisCommandError(replyTooLarge(limits));
}

function adds(plan: CommandPlan): boolean {
  const name = plan.definition.name;
  if (plan.flags.includes("denyoom") || ALSO_ADD.has(name)) return true;
  if (name !== "script" && name !== "function") return false;
  const subcommand = plan.rawArgs[0]?.toString().toLowerCase();
  return subcommand === "load" || subcommand === "restore";
}

function addsKey(plan: CommandPlan, ctx: RedisExecutionContext): boolean {
  if (!plan.flags.includes("denyoom")) return false;
  return plan.keys.some((key) => peek(ctx.db, key) === undefined);
}

/** Returns the length in bytes to which a command would grow the string at its key, or 0 if it grows no string. */
function resultingLength(name: string, args: readonly Buffer[], database: RedisDatabase): number {
  const key = args[0];
  if (key === undefined) return 0;
  switch (name) {
    case "append":
      return stringLength(database, key) + (args[1]?.length ?? 0);
    case "setrange":
      return args[2]?.length ? integer(args[1]) + args[2].length : 0;
    case "setbit":
      return Math.floor(integer(args[1]) / 8) + 1;
    case "bitfield":
      return bitfieldLength(args);
    default:
      return 0;
  }
}

/** Returns the length in bytes up to the furthest bit that a BITFIELD writes. */
function bitfieldLength(args: readonly Buffer[]): number {
  let length = 0;
  for (let at = 1; at < args.length; at += 1) {
    const arg = args[at]?.toString().toLowerCase();
    if (arg !== "set" && arg !== "incrby") continue;
    const bits = Number(args[at + 1]?.toString().slice(1));
    const offset = args[at + 2]?.toString() ?? "";
    const first = offset.startsWith("#") ? Number(offset.slice(1)) * bits : Number(offset);
    length = Math.max(length, Math.ceil((first + bits) / 8) || 0);
    at += 3;
  }
  return length;
}

/**
 * Length in bytes of the reply of a command that can return the same value many times; 0 for others, and for those that call
 * {@link checkReplyLength}.
 */
function replyLength(name: string, args: readonly Buffer[], database: RedisDatabase): number {
  switch (name) {
    case "mget":
      return args.reduce((sum, key) => sum + stringLength(database, key), 0);
    case "hmget":
      return hashFieldsLength(args, database);
    case "srandmember":
    case "zrandmember":
    case "hrandfield":
      return randomMembersLength(args, database);
    default:
      return 0;
  }
}

function hashFieldsLength(args: readonly Buffer[], database: RedisDatabase): number {
  const hash = args[0] && peek(database, args[0]);
  if (hash?.type !== "hash") return 0;
  let length = 0;
  for (const field of args.slice(1)) length += hash.fields.get(field.toString("hex"))?.value.length ?? 0;
  return length;
}

/** With a negative count members or fields repeat. The bound is the largest one times the count. */
function randomMembersLength(
  [key, countArg, withValues]: readonly Buffer[],
  database: RedisDatabase,
): number {
  const count = -integer(countArg);
  if (!(count > 0) || key === undefined) return 0;
  let largest = 0;
  for (const length of itemLengths(peek(database, key), withValues !== undefined))
    largest = Math.max(largest, length + OVERHEAD_BYTES);
  return count * largest;
}

/** Lengths of the members of a set or sorted set, or of the fields of a hash. */
function* itemLengths(value: StoredValue | undefined, withValues: boolean): Generator<number, undefined> {
  switch (value?.type) {
    case "set":
      for (const member of value.members.values()) yield member.length;
      break;
    case "zset":
      for (const { member } of value.members.values()) yield member.length + SCORE_BYTES;
      break;
    case "hash":
      for (const { field, value: bytes } of value.fields.values())
        yield field.length + (withValues ? bytes.length : 0);
      break;
  }
}

/** Returns an argument as a number, or NaN, which is within every limit: the command itself then fails. */
function integer(arg: Buffer | undefined): number {
  return arg === undefined ? Number.NaN : Number(arg.toString());
}

function refuse(message: string, code = "ERR"): RedisResult {
  return RedisResult.error(message, code);
}

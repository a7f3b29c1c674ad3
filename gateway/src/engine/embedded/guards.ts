import {
  type CommandPlan,
  type createRedisCommandExecutor,
  RedisCommandError,
  type RedisDatabase,
  type RedisExecutionContext,
  RedisResult,
  type RedisValue,
} from "js-redis-server/core";
import { itemsOf } from "./commands/define.js";
import { countKeys, peek, stringLength } from "./keyspace.js";
import { type EmbeddedLimits, sizeText } from "./limits.js";
import { MemoryGauge } from "./memory-gauge.js";

type ExecutorOptions = NonNullable<Parameters<typeof createRedisCommandExecutor>[0]>;
/** Runs before or after each command. */
export type ExecutionPolicy = NonNullable<ExecutorOptions["policies"]>[number];

/** Commands that add data although they have no flag for it: scripts and functions are kept, messages wait for readers. */
const ALSO_ADD = new Set(["eval", "eval_ro", "publish", "spublish"]);
/** Commands that add as many bytes as other keys hold. Their arguments do not show the amount. */
const COPY_KEYS = new Set(["copy", "bitop", "sort", "georadius", "georadiusbymember", "pfmerge"]);
/** Commands that can return the same value many times. Others call {@link checkReplyLength}. */
const REPEATING = new Set(["mget", "hmget", "srandmember", "zrandmember", "hrandfield"]);
/** Approximate overhead of a key, field or element, in bytes, in addition to its own bytes. */
export const OVERHEAD_BYTES = 200;

/**
 * Refuses, before they run, commands that would take the embedded engine beyond its limits, and replies that are too long. Runs for
 * each command of a transaction as it is queued, and for each call inside a script.
 */
export function createGuards(limits: EmbeddedLimits): ExecutionPolicy {
  const gauge = new MemoryGauge(limits.maxMemoryBytes);
  return {
    name: "limits",
    beforeExecute(plan, ctx) {
      const name = plan.definition.name;
      const length = resultingLength(plan, ctx.db);
      if (length > limits.maxStringBytes) {
        return refuse(
          `string exceeds maximum allowed size (${sizeText(limits.maxStringBytes)} in the embedded engine)`,
        );
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
    afterExecute({ definition }, _ctx, result) {
      // The reply has no copies of the values yet.
      if (REPEATING.has(definition.name)) checkReplyLength(lengthOf(result.value), limits);
      return result;
    },
  };
}

/** The bytes of the strings in an array reply. */
function lengthOf(reply: RedisValue): number {
  const lengths = itemsOf(reply).map((item) => (item.kind === "bulk-string" ? (item.value?.length ?? 0) : 0));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/**
 * Checks the length of a reply, in bytes, for commands that know it only once they have its values.
 * @throws RedisCommandError beyond the limit
 */
export function checkReplyLength(length: number, { maxReplyBytes }: EmbeddedLimits): void {
  if (length > maxReplyBytes)
    throw new RedisCommandError(`reply would exceed ${sizeText(maxReplyBytes)}, the embedded engine's limit`);
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

/** The parsed arguments of the commands that grow a string. Those of a malformed command have no fields. */
interface StringArguments {
  readonly key: Buffer;
  readonly value: Buffer;
  readonly offset: number;
  readonly ops: readonly {
    readonly kind: string;
    readonly offset: number;
    readonly type: { readonly bits: number };
  }[];
}

/** Returns the length in bytes to which a command would grow the string at its key, or 0 if it grows no string. */
function resultingLength({ definition, args }: CommandPlan, database: RedisDatabase): number {
  const { key, value, offset = 0, ops = [] } = args as Partial<StringArguments>;
  switch (definition.name) {
    case "append":
      return key && value ? stringLength(database, key) + value.length : 0;
    case "setrange":
      return value?.length ? offset + value.length : 0;
    case "setbit":
      return Math.floor(offset / 8) + 1;
    case "bitfield":
      return Math.max(
        0,
        ...ops.map((op) => (op.kind === "GET" ? 0 : Math.ceil((op.offset + op.type.bits) / 8))),
      );
    default:
      return 0;
  }
}

function refuse(message: string, code = "ERR"): RedisResult {
  return RedisResult.error(message, code);
}

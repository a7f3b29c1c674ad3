import {
  type CommandDefinition,
  type CommandExecutor,
  RedisCommandError,
  type RedisResult,
  UnknownRedisCommandError,
  WrongTypeRedisError,
} from "js-redis-server/core";
import { isKnown } from "../../../commands/command-info.js";
import { peek } from "../keyspace.js";
import type { StoredValue } from "../stored-value.js";
import { bulk, integer, optionName } from "./define.js";
import { hasGroup, missingStream, noSuchConsumerGroup, noSuchGroup } from "./streams.js";

/** Errors that Redis finds when it looks a command up, before it queues it, and a command that was not kept for its size. */
const EARLY = /^wrong number of arguments|^unknown subcommand|^command is larger than/i;

const HINT = " (the embedded engine does not have it; a redis-server may: give --engine its path)";

/** A command with malformed arguments. */
interface Malformed {
  readonly args: readonly Buffer[];
  readonly error: RedisCommandError;
}

type ValueAt = (key: Buffer) => StoredValue | undefined;

/** Returns the reply that follows from the values at the keys. Undefined if the reply is the error of the arguments. */
type KeyCheck = (malformed: Malformed, valueAt: ValueAt) => RedisResult | undefined;

/** Commands for which Redis reads the keys before it parses other arguments. */
const KEYS_FIRST: Readonly<Record<string, KeyCheck>> = {
  lindex: ofType("list", () => bulk(null)),
  lset: ofType("list", () => {
    throw new RedisCommandError("no such key");
  }),
  getex: (malformed, valueAt) =>
    malformed.error.message === "syntax error"
      ? undefined
      : ofType("string", () => bulk(null))(malformed, valueAt),
  xdel: ofType("stream", () => integer(0)),
  xclaim: ({ args }, valueAt) => {
    const [key, group] = args as [Buffer, Buffer];
    requireTypes(valueAt, ["stream"], [key]);
    if (!hasGroup(valueAt(key), group)) throw noSuchGroup(key, group);
    return undefined;
  },
  xgroup: ({ args }, valueAt) => {
    const [, key, group] = args as [Buffer, Buffer | undefined, Buffer];
    if (!key) return undefined;
    requireTypes(valueAt, ["stream"], [key]);
    const value = valueAt(key);
    if (!value && !args.some((arg) => optionName(arg) === "MKSTREAM")) throw missingStream();
    if (optionName(args[0]) === "SETID" && !hasGroup(value, group)) throw noSuchConsumerGroup(key, group);
    return undefined;
  },
  ...each("zunion zinter zdiff zintercard", ({ args }, valueAt) => requireSources(args, 0, valueAt)),
  ...each("zunionstore zinterstore zdiffstore", ({ args }, valueAt) => requireSources(args, 1, valueAt)),
  ...each("geosearch georadius georadius_ro georadiusbymember georadiusbymember_ro", ({ args }, valueAt) =>
    requireTypes(valueAt, ["zset"], args.slice(0, 1)),
  ),
  geosearchstore: ({ args }, valueAt) => requireTypes(valueAt, ["zset"], args.slice(1, 2)),
};

function each(names: string, check: KeyCheck): Record<string, KeyCheck> {
  return Object.fromEntries(names.split(" ").map((name) => [name, check]));
}

function ofType(type: StoredValue["type"], replyOfMissing: () => RedisResult): KeyCheck {
  return ({ args }, valueAt) => {
    requireTypes(valueAt, [type], [args[0]!]);
    return valueAt(args[0]!) ? undefined : replyOfMissing();
  };
}

function requireTypes(
  valueAt: ValueAt,
  types: readonly StoredValue["type"][],
  keys: readonly Buffer[],
): undefined {
  for (const key of keys) {
    const value = valueAt(key);
    if (value && !types.includes(value.type)) throw new WrongTypeRedisError();
  }
}

/** Checks the types of the keys behind their number, which is at a place, if all of them are given. */
function requireSources(args: readonly Buffer[], at: number, valueAt: ValueAt): undefined {
  const count = Number(args[at]);
  const keys = args.slice(at + 1, at + 1 + count);
  if (count > 0 && keys.length === count) requireTypes(valueAt, ["zset", "set"], keys);
}

/**
 * Makes commands with wrong arguments fail when they are run, as in Redis, not when they are parsed: in a transaction the others
 * then run. Adds a hint to the error for an unknown command if Redis has the command.
 */
export function replaceParseErrors(executor: CommandExecutor): void {
  const plan = executor.plan.bind(executor);
  executor.plan = (rawCommand, args) => {
    try {
      return plan(rawCommand, args);
    } catch (error) {
      const name = rawCommand.toString("latin1").toUpperCase();
      if (error instanceof UnknownRedisCommandError && isKnown(name))
        throw new RedisCommandError(error.message.replace(/^unknown command '[^']*'/, `$&${HINT}`));
      const base = executor.getCommandDefinition(name);
      if (!base || !(error instanceof RedisCommandError) || EARLY.test(error.message)) throw error;
      const execute: CommandDefinition["execute"] = (_args, ctx) => {
        const reply = KEYS_FIRST[base.name]?.({ args, error }, (key) => peek(ctx.db, key));
        if (reply) return reply;
        throw error;
      };
      const definition = { ...base, execute };
      return {
        definition,
        args,
        keys: [],
        flags: base.flags,
        rawCommand: Buffer.from(rawCommand),
        rawArgs: args,
      };
    }
  };
}

import {
  type CommandDefinition,
  RedisCommandError,
  type RedisResult,
  t,
  WrongTypeRedisError,
} from "js-redis-server/core";
import { peek } from "../keyspace.js";
import type { StoredValue } from "../stored-value.js";
import { bulk, type CommandTable, integer, optionName } from "./define.js";
import { hasGroup, missingStream, noSuchConsumerGroup, noSuchGroup } from "./streams.js";

/** Stands for arguments that could not be parsed. */
class InvalidArguments {
  constructor(
    readonly error: RedisCommandError,
    readonly args: readonly Buffer[],
  ) {}
}

/** Errors that Redis finds when it looks a command up, before it queues it. */
const EARLY = /^wrong number of arguments|^unknown subcommand/i;

type ValueAt = (key: Buffer) => StoredValue | undefined;

/** Returns the reply that follows from the values at the keys. Undefined if the reply is the error of the arguments. */
type KeyCheck = (invalid: InvalidArguments, valueAt: ValueAt) => RedisResult | undefined;

/** Commands for which Redis reads the keys before it parses other arguments. */
const KEYS_FIRST: Readonly<Record<string, KeyCheck>> = {
  lindex: ofType("list", () => bulk(null)),
  lset: ofType("list", () => {
    throw new RedisCommandError("no such key");
  }),
  getex: (invalid, valueAt) =>
    invalid.error.message === "syntax error"
      ? undefined
      : ofType("string", () => bulk(null))(invalid, valueAt),
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

/** Checks the keys whose number is at a place, if they are all there. */
function requireSources(args: readonly Buffer[], at: number, valueAt: ValueAt): undefined {
  const count = Number(args[at]);
  const keys = args.slice(at + 1, at + 1 + count);
  if (count > 0 && keys.length === count) requireTypes(valueAt, ["zset", "set"], keys);
}

/**
 * Lets every command that an executor has fail for its arguments when it is run, as in Redis, not when it is parsed. In a
 * transaction the others then run.
 */
export function deferArgumentErrors(table: CommandTable): void {
  // biome-ignore lint/complexity/useLiteralKeys: quotes let TypeScript, which checks this name too, reach a private member.
  table.add(...table.executor["registry"].getAll().map(withLateErrors));
}

function withLateErrors(base: CommandDefinition): CommandDefinition {
  return {
    ...base,
    schema: t.custom((input, index, ctx) => {
      try {
        return base.schema.parse(input, index, ctx);
      } catch (thrown) {
        const error = toCommandError(thrown);
        if (!error || EARLY.test(error.message)) throw thrown;
        return { value: new InvalidArguments(error, input), nextIndex: input.length };
      }
    }),
    keys: (args) => (args instanceof InvalidArguments ? [] : base.keys(args)),
    execute(args, ctx) {
      if (!(args instanceof InvalidArguments)) return base.execute(args, ctx);
      const reply = KEYS_FIRST[base.name]?.(args, (key) => peek(ctx.db, key));
      if (reply) return reply;
      throw args.error;
    },
  };
}

/** For a wrong keyword the library throws a class that it does not export. */
function toCommandError(thrown: unknown): RedisCommandError | undefined {
  if (thrown instanceof RedisCommandError) return thrown;
  const isMismatch = thrown instanceof Error && thrown.message === "schema mismatch";
  return isMismatch ? new RedisCommandError("syntax error") : undefined;
}

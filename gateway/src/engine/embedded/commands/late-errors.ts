import {
  type CommandDefinition,
  type CommandExecutor,
  RedisCommandError,
  type RedisResult,
  t,
  WrongTypeRedisError,
} from "js-redis-server/core";
import { peek } from "../keyspace.js";
import type { StoredValue } from "../stored-value.js";
import { optionName } from "./args.js";
import { addCommands } from "./define.js";
import { bulk, integer } from "./results.js";
import { hasGroup, missingStream, noSuchConsumerGroup, noSuchGroup } from "./streams.js";

/** Stands for arguments that could not be parsed. */
class InvalidArguments {
  constructor(
    readonly error: RedisCommandError,
    readonly input: readonly Buffer[],
  ) {}
}

/** Errors that Redis finds when it looks a command up, before it queues it. */
const EARLY = /^wrong number of arguments|^unknown subcommand/i;

/** Returns the reply of a command with invalid arguments, or undefined for their error, as the value at its key is. */
type KeyCheck = (value: StoredValue | undefined, args: readonly Buffer[]) => RedisResult | undefined;

/** Commands for which Redis reads the key before it parses other arguments. */
const KEY_FIRST: Readonly<Record<string, KeyCheck>> = {
  lindex: ofType("list", () => bulk(null)),
  lset: ofType("list", () => {
    throw new RedisCommandError("no such key");
  }),
  xdel: ofType("stream", () => integer(0)),
  xclaim: (value, args) => {
    requireType(value, "stream");
    if (!hasGroup(value, args[1]!)) throw noSuchGroup(args[0]!, args[1]!);
    return undefined;
  },
  xgroup: (value, args) => {
    requireType(value, "stream");
    if (!value && !args.some((arg) => optionName(arg) === "MKSTREAM")) throw missingStream();
    if (optionName(args[0]) === "SETID" && !hasGroup(value, args[2]!))
      throw noSuchConsumerGroup(args[1]!, args[2]!);
    return undefined;
  },
};

function ofType(type: StoredValue["type"], replyOfMissing: () => RedisResult): KeyCheck {
  return (value) => {
    requireType(value, type);
    return value ? undefined : replyOfMissing();
  };
}

function requireType(value: StoredValue | undefined, type: StoredValue["type"]): void {
  if (value && value.type !== type) throw new WrongTypeRedisError();
}

/**
 * Lets every command that an executor has fail for its arguments when it is run, as in Redis, not when it is parsed. In a
 * transaction the others then run.
 */
export function deferArgumentErrors(executor: CommandExecutor): void {
  // biome-ignore lint/complexity/useLiteralKeys: quotes let TypeScript, which checks this name too, reach a private member.
  addCommands(executor, executor["registry"].getAll().map(withLateErrors));
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
      const { error, input } = args;
      const key = input[base.name === "xgroup" ? 1 : 0];
      const reply = key && KEY_FIRST[base.name]?.(peek(ctx.db, key), input);
      if (reply) return reply;
      throw error;
    },
  };
}

/** The library throws a class that it does not export where an argument is another one than a keyword. */
function toCommandError(thrown: unknown): RedisCommandError | undefined {
  if (thrown instanceof RedisCommandError) return thrown;
  const isMismatch = thrown instanceof Error && thrown.message === "schema mismatch";
  return isMismatch ? new RedisCommandError("syntax error") : undefined;
}

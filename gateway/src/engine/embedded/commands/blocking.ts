import {
  type CommandDefinition,
  type CommandExecutor,
  RedisCommandError,
  RedisResult,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import type { Wait, WaitingClients } from "../waiting-clients.js";
import { optionName, parseInteger } from "./args.js";
import { addCommands, type Context, libraryCommand, withArguments } from "./define.js";
import { parseFloatArgument } from "./floats.js";
import { integer } from "./results.js";

const MAX_INT64 = 2 ** 63;

/** The id of a connection, which the library keeps to itself. */
function idOf(client: CommandDefinition, ctx: Context): number {
  const { value } = client.execute({ subcommand: "id", args: [] }, ctx) as RedisResult;
  return value.kind === "integer" ? Number(value.value) : 0;
}

/** A timeout in seconds in the spelling that the library reads. @throws RedisCommandError if it is none */
function plainTimeout(arg: Buffer): Buffer {
  const seconds = parseFloatArgument(arg.toString("latin1"));
  if (seconds === undefined) throw new RedisCommandError("timeout is not a float or out of range");
  if (seconds * 1000 > MAX_INT64) throw new RedisCommandError("timeout is out of range");
  if (seconds < 0) throw new RedisCommandError("timeout is negative");
  return Buffer.from(String(seconds));
}

/** Returns a command with its timeout checked before its other arguments. @param place of the timeout; negative from the end */
function withTimeout(base: CommandDefinition, place: number): CommandDefinition {
  return withArguments(base, (args) => {
    const at = place < 0 ? args.length + place : place;
    return args[at] ? args.with(at, plainTimeout(args[at])) : args;
  });
}

/** How a command that waits is run with one of its keys alone. */
interface Family {
  readonly type: Wait["type"];
  /** Whether it fails when its key is removed. */
  readonly needsKey?: boolean;
  keysOf(args: unknown): readonly Buffer[];
  /** Its arguments with one of those keys. */
  withKey(args: unknown, key: Buffer): unknown;
}

type Keys = { readonly keys: readonly Buffer[] };
const pop = (type: "list" | "zset"): Family => ({
  type,
  keysOf: (args) => (args as Keys).keys,
  withKey: (args, key) => ({ ...(args as Keys), keys: [key] }),
});

const move: Family = {
  type: "list",
  keysOf: (args) => [(args as { source: Buffer }).source],
  withKey: (args) => args,
};

type Streams = { readonly args: { readonly streams: readonly { readonly key: Buffer }[] } };
/** XREAD, or XREADGROUP, which needs its key. */
export const streamRead = (needsKey: boolean): Family => ({
  type: "stream",
  needsKey,
  keysOf: (given) => (given as Streams).args.streams.map(({ key }) => key),
  withKey(given, key) {
    const { args } = given as Streams;
    return { args: { ...args, streams: args.streams.filter((stream) => stream.key.equals(key)) } };
  },
});

/** A command that found nothing. */
interface Vain {
  /** Time in ms that it waits. Undefined if it waits without an end. */
  readonly limit: number | undefined;
  /** Its reply if it waits in vain. */
  readonly reply: Promise<RedisResult>;
}

/** Runs a blocking command of the library once. */
function attempt(base: CommandDefinition, args: unknown, ctx: Context): RedisResult | Vain {
  let limit: { ms: number | undefined } | undefined;
  const park: Context["park"] = async ({ timeoutMs }) => {
    limit = { ms: timeoutMs };
    return null;
  };
  const result = base.execute(args, Object.create(ctx, { park: { value: park } }));
  return limit ? { limit: limit.ms, reply: result as Promise<RedisResult> } : (result as RedisResult);
}

/**
 * Returns a blocking command that waits among {@link WaitingClients}. Once it waits, it is run with the key that became ready alone.
 * The library's loses its place when another client is faster, and takes a write of any type for an element.
 */
export function patient(
  executor: CommandExecutor,
  waiting: WaitingClients,
  base: CommandDefinition,
  family: Family,
): CommandDefinition {
  const client = libraryCommand(executor, "client");
  return {
    ...base,
    execute(args, ctx) {
      const first = attempt(base, args, ctx);
      if (first instanceof RedisResult) return first;
      const database = ctx.db;
      return waitFor(waiting, ctx, first, {
        id: idOf(client, ctx),
        database,
        keys: family.keysOf(args),
        type: family.type,
        needsKey: family.needsKey === true,
        attempt(key) {
          const { activeNotifyCommand } = database;
          database.activeNotifyCommand = base.name;
          try {
            const result = attempt(base, family.withKey(args, key), ctx);
            return result instanceof RedisResult ? result : undefined;
          } finally {
            database.activeNotifyCommand = activeNotifyCommand;
          }
        },
      });
    },
  };
}

/** The longest time of a timer in ms: almost 25 days. */
const MAX_TIMER = 2 ** 31 - 1;

async function waitFor(
  waiting: WaitingClients,
  ctx: Context,
  { limit, reply }: Vain,
  client: Omit<Wait, "end">,
): Promise<RedisResult> {
  let wait!: Wait;
  const ended = new Promise<RedisResult | null>((resolve, reject) => {
    wait = {
      ...client,
      end: (outcome) => (outcome instanceof Error ? reject(outcome) : resolve(outcome)),
    };
  });
  const timer =
    limit === undefined
      ? undefined
      : setTimeout(() => waiting.end(wait, null), Math.min(limit, MAX_TIMER)).unref();
  const leave = () => waiting.remove(wait);
  ctx.signal.addEventListener("abort", leave);
  waiting.add(wait);
  try {
    return (await ctx.park({ waitFor: ended, signal: ctx.signal })) ?? (await reply);
  } finally {
    clearTimeout(timer);
    ctx.signal.removeEventListener("abort", leave);
    leave();
  }
}

function unblock(waiting: WaitingClients, [id, reason, ...rest]: readonly Buffer[]): RedisResult {
  const name = optionName(reason);
  if (!id || rest.length > 0) throw new WrongNumberOfArgumentsError("client|unblock");
  if (reason && name !== "TIMEOUT" && name !== "ERROR")
    throw new RedisCommandError("CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  const error = new RedisCommandError("client unblocked via CLIENT UNBLOCK", "UNBLOCKED");
  return integer(waiting.unblock(parseInteger(id), name === "ERROR" ? error : null) ? 1 : 0);
}

/** Replaces the commands that wait for an element of a list or a sorted set, and CLIENT UNBLOCK. */
export function addBlockingCommands(executor: CommandExecutor, waiting: WaitingClients): void {
  const blocking = (name: string, family: Family, timeout: number) =>
    withTimeout(patient(executor, waiting, libraryCommand(executor, name), family), timeout);
  const client = libraryCommand(executor, "client");
  addCommands(executor, [
    {
      ...client,
      execute(given, ctx) {
        const { subcommand, args } = given as { subcommand: string; args: readonly Buffer[] };
        return subcommand.toUpperCase() === "UNBLOCK" ? unblock(waiting, args) : client.execute(given, ctx);
      },
    },
    blocking("blpop", pop("list"), -1),
    blocking("brpop", pop("list"), -1),
    blocking("blmove", move, 4),
    blocking("brpoplpush", move, 2),
    blocking("blmpop", pop("list"), 0),
    blocking("bzpopmin", pop("zset"), -1),
    blocking("bzpopmax", pop("zset"), -1),
    blocking("bzmpop", pop("zset"), 0),
  ]);
}

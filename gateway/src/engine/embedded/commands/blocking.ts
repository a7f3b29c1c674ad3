import {
  type CommandDefinition,
  RedisCommandError,
  RedisResult,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import type { Wait, WaitingClients } from "../waiting-clients.js";
import { type CommandTable, type Context, integer, optionName, parseInteger } from "./define.js";
import { parseFloatArgument } from "./numbers.js";

const MAX_INT64 = 2 ** 63;

/** The id of a connection, which the library keeps to itself. */
function idOf(client: CommandDefinition, ctx: Context): number {
  const { value } = client.execute({ subcommand: "id", args: [] }, ctx) as RedisResult;
  return value.kind === "integer" ? Number(value.value) : 0;
}

/** A timeout in seconds in the spelling that the library reads. @throws RedisCommandError if it is not a valid timeout */
function plainTimeout(arg: Buffer): Buffer {
  const seconds = parseFloatArgument(arg.toString("latin1"));
  if (seconds === undefined) throw new RedisCommandError("timeout is not a float or out of range");
  if (seconds * 1000 > MAX_INT64) throw new RedisCommandError("timeout is out of range");
  if (seconds < 0) throw new RedisCommandError("timeout is negative");
  return Buffer.from(String(seconds));
}

/** How a command that waits is run with one of its keys alone. */
interface Family {
  readonly type: Wait["type"];
  /** Whether it fails when its key is removed. */
  readonly needsKey?: boolean;
  /** Its arguments with one of its keys. Without this method it waits for its first key alone. */
  withKey?(args: unknown, key: Buffer): unknown;
}

const pop = (type: "list" | "zset"): Family => ({
  type,
  withKey: (args, key) => ({ ...(args as object), keys: [key] }),
});

const move: Family = { type: "list" };

type Streams = { readonly args: { readonly streams: readonly { readonly key: Buffer }[] } };
/** XREAD, or XREADGROUP, which needs its key. */
export const streamRead = (needsKey: boolean): Family => ({
  type: "stream",
  needsKey,
  withKey(given, key) {
    const { args } = given as Streams;
    return { args: { ...args, streams: args.streams.filter((stream) => stream.key.equals(key)) } };
  },
});

/** A command that found nothing. */
interface Unserved {
  /** Maximum wait in ms. Undefined without a maximum. */
  readonly limit: number | undefined;
  /** Its reply if it gets nothing until then. */
  readonly reply: Promise<RedisResult>;
}

/** Runs a blocking command of the library once. */
function attempt(base: CommandDefinition, args: unknown, ctx: Context): RedisResult | Unserved {
  let limit: { ms: number | undefined } | undefined;
  const park: Context["park"] = async ({ timeoutMs }) => {
    limit = { ms: timeoutMs };
    return null;
  };
  const result = base.execute(args, Object.create(ctx, { park: { value: park } }));
  return limit ? { limit: limit.ms, reply: result as Promise<RedisResult> } : (result as RedisResult);
}

/**
 * Lets blocking commands wait among {@link WaitingClients}. A command that waits is run with only the key that became ready.
 * A waiting command of the library loses its place when another client is faster, and takes a write of any type for an element.
 */
export function letWait(table: CommandTable, waiting: WaitingClients, names: string, family: Family): void {
  const client = table.get("client");
  table.replace(names, (base) => ({
    ...base,
    execute(args, ctx) {
      const first = attempt(base, args, ctx);
      if (first instanceof RedisResult) return first;
      const database = ctx.db;
      return waitFor(waiting, ctx, first, {
        id: idOf(client, ctx),
        database,
        keys: base.keys(args).slice(0, family.withKey ? undefined : 1),
        type: family.type,
        needsKey: family.needsKey === true,
        attempt(key) {
          const { activeNotifyCommand } = database;
          database.activeNotifyCommand = base.name;
          try {
            const result = attempt(base, family.withKey?.(args, key) ?? args, ctx);
            return result instanceof RedisResult ? result : undefined;
          } finally {
            database.activeNotifyCommand = activeNotifyCommand;
          }
        },
      });
    },
  }));
}

/** The longest time of a timer in ms: almost 25 days. */
const MAX_TIMER = 2 ** 31 - 1;

async function waitFor(
  waiting: WaitingClients,
  ctx: Context,
  { limit, reply }: Unserved,
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
export function addBlockingCommands(table: CommandTable, waiting: WaitingClients): void {
  /** @param place index of the timeout, which is checked before other arguments; negative from the end */
  const blocking = (names: string, family: Family, place: number) => {
    letWait(table, waiting, names, family);
    table.rewrite(names, (args) => {
      const at = place < 0 ? args.length + place : place;
      return args[at] ? args.with(at, plainTimeout(args[at])) : args;
    });
  };
  blocking("blpop brpop", pop("list"), -1);
  blocking("blmove", move, 4);
  blocking("brpoplpush", move, 2);
  blocking("blmpop", pop("list"), 0);
  blocking("bzpopmin bzpopmax", pop("zset"), -1);
  blocking("bzmpop", pop("zset"), 0);
  table.override<{ subcommand: string; args: readonly Buffer[] }>("client", (args, _ctx, run) =>
    args.subcommand.toUpperCase() === "UNBLOCK" ? unblock(waiting, args.args) : run(args),
  );
}

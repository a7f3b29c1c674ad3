import {
  type CommandDefinition,
  type CommandExecutor,
  RedisCommandError,
  type RedisDatabase,
  type RedisDataValue,
  type RedisResult,
  WrongNumberOfArgumentsError,
} from "js-redis-server/core";
import { peek } from "../keyspace.js";
import { optionName, parseInteger } from "./args.js";
import { addCommands, type Context, libraryCommand, withArguments, withDatabase } from "./define.js";
import { parseFloatArgument } from "./floats.js";
import { integer } from "./results.js";

const MAX_INT64 = 2 ** 63;

/** Functions that end the wait of a client, by its id. */
const waiting = new Map<number, (withError: boolean) => void>();

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

/**
 * Returns a blocking command that gets what became ready first, as in Redis, goes on waiting while its keys have another type, and
 * can be ended by CLIENT UNBLOCK. The library's looks at its keys in their own order, takes a write of any type for an element, and
 * fails at the wrong type, which for Redis is an error before it begins to wait alone.
 */
export function patient(
  executor: CommandExecutor,
  base: CommandDefinition,
  type: RedisDataValue["type"],
): CommandDefinition {
  const client = libraryCommand(executor, "client");
  return {
    ...base,
    execute(args, ctx) {
      let isWaiting = false;
      /** The keys that were written to while it waited, first ones first. */
      const written: Buffer[] = [];
      // A destination is read as it is.
      const { destination } = args as { destination?: Buffer };
      /** Once it waits it sees the first key that became ready alone. */
      const ifReady =
        <T>(read: (key: Buffer) => T | null) =>
        (key: Buffer): T | null => {
          if (!isWaiting || destination?.equals(key)) return read(key);
          const ready = written.find((one) => peek(ctx.db, one)?.type === type);
          return ready?.equals(key) ? read(key) : null;
        };
      const methods: Partial<RedisDatabase> = {
        getList: ifReady((key) => ctx.db.getList(key)),
        getSortedSet: ifReady((key) => ctx.db.getSortedSet(key)),
        getStream: ifReady((key) => ctx.db.getStream(key)),
        subscribeKey: (key, listener) =>
          ctx.db.subscribeKey(key, (event) => {
            if (event.type === "write" && event.value.type !== type) return;
            if (event.type === "write") written.push(key);
            listener(event);
          }),
      };
      const result = base.execute(args, withPark(withDatabase(ctx, methods), idOf(client, ctx), written));
      isWaiting = true;
      return result;
    },
  };
}

/** A context whose command can be ended by its client's id while it waits. What was written before is forgotten. */
function withPark(ctx: Context, id: number, written: Buffer[]): Context {
  const park: Context["park"] = async (request) => {
    written.length = 0;
    const ended = new Promise<never>((resolve, reject) => {
      waiting.set(id, (withError) => {
        // Null means that the time is over.
        if (!withError) resolve(null as never);
        else reject(new RedisCommandError("client unblocked via CLIENT UNBLOCK", "UNBLOCKED"));
      });
    });
    try {
      return await ctx.park({ ...request, waitFor: Promise.race([request.waitFor, ended]) });
    } finally {
      waiting.delete(id);
    }
  };
  return Object.create(ctx, { park: { value: park } });
}

function unblock([id, reason, ...rest]: readonly Buffer[]): RedisResult {
  const name = optionName(reason);
  if (!id || rest.length > 0) throw new WrongNumberOfArgumentsError("client|unblock");
  if (reason && name !== "TIMEOUT" && name !== "ERROR")
    throw new RedisCommandError("CLIENT UNBLOCK reason should be TIMEOUT or ERROR");
  const end = waiting.get(parseInteger(id));
  end?.(name === "ERROR");
  return integer(end ? 1 : 0);
}

/** Replaces the commands that wait for an element of a list or a sorted set. */
export function addBlockingCommands(executor: CommandExecutor): void {
  const blocking = (name: string, type: "list" | "zset", timeout: number) =>
    withTimeout(patient(executor, libraryCommand(executor, name), type), timeout);
  const client = libraryCommand(executor, "client");
  addCommands(executor, [
    {
      ...client,
      execute(given, ctx) {
        const { subcommand, args } = given as { subcommand: string; args: readonly Buffer[] };
        return subcommand.toUpperCase() === "UNBLOCK" ? unblock(args) : client.execute(given, ctx);
      },
    },
    blocking("blpop", "list", -1),
    blocking("brpop", "list", -1),
    blocking("blmove", "list", 4),
    blocking("brpoplpush", "list", 2),
    blocking("blmpop", "list", 0),
    blocking("bzpopmin", "zset", -1),
    blocking("bzpopmax", "zset", -1),
    blocking("bzmpop", "zset", 0),
  ]);
}

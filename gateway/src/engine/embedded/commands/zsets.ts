import { type CommandExecutor, RedisCommandError } from "js-redis-server/core";
import { peek } from "../keyspace.js";
import {
  addCommands,
  array,
  integer,
  libraryCommand,
  optionName,
  parseInteger,
  withCheck,
} from "./define.js";

const ZADD_OPTIONS = new Set(["NX", "XX", "GT", "LT", "CH", "INCR"]);

/** The library takes an empty score for 0. */
function checkScores(args: readonly Buffer[]): void {
  let at = 1;
  while (ZADD_OPTIONS.has(optionName(args[at]))) at += 1;
  for (; at < args.length; at += 2) checkFloat(args[at]!);
}

function checkFloat(arg: Buffer): void {
  if (arg.length === 0) throw new RedisCommandError("value is not a valid float");
}

function checkRanks(args: readonly Buffer[]): void {
  const isByRank = !args.some((arg) => /^BY(SCORE|LEX)$/.test(optionName(arg)));
  if (isByRank) for (const arg of args.slice(1, 3)) parseInteger(arg);
}

/** Replaces the commands on sorted sets and positions whose replies differ from Redis's. */
export function addSortedSetCommands(executor: CommandExecutor): void {
  const searches = ["geosearch", "georadiusbymember", "geosearchstore"].map((name) => {
    const base = libraryCommand(executor, name);
    return {
      ...base,
      execute(args: unknown, ctx: Parameters<typeof base.execute>[1]) {
        const keys = base.keys(args);
        // A member of a set that is not there is no error.
        if (name === "geosearchstore" && !peek(ctx.db, keys[1]!)) {
          ctx.db.delete(keys[0]!);
          return integer(0);
        }
        if (keys.length === 1 && !peek(ctx.db, keys[0]!)) return array([]);
        return base.execute(args, ctx);
      },
    };
  });
  addCommands(executor, [
    withCheck(libraryCommand(executor, "zadd"), checkScores),
    withCheck(libraryCommand(executor, "zincrby"), ([, amount]) => amount && checkFloat(amount)),
    withCheck(libraryCommand(executor, "zrange"), checkRanks),
    ...searches,
  ]);
}

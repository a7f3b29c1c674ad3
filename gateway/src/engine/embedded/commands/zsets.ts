import { type CommandExecutor, RedisCommandError } from "js-redis-server/core";
import { peek } from "../keyspace.js";
import { optionName, parseInteger } from "./args.js";
import { addCommands, libraryCommand, withArguments, withCheck } from "./define.js";
import { array, integer } from "./results.js";

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

/** A bound that is an opening bracket alone excludes 0. */
function withZeroBounds(args: readonly Buffer[], first: number): readonly Buffer[] {
  return args.map((arg, index) =>
    (index === first || index === first + 1) && arg.equals(OPENING_BRACKET) ? EXCLUDED_ZERO : arg,
  );
}
const OPENING_BRACKET = Buffer.from("(");
const EXCLUDED_ZERO = Buffer.from("(0");

const isByScore = (args: readonly Buffer[]) => args.some((arg) => optionName(arg) === "BYSCORE");

/** Replaces the commands on sorted sets and positions whose replies differ from Redis's. */
export function addSortedSetCommands(executor: CommandExecutor): void {
  const searches = ["geosearch", "georadiusbymember", "georadiusbymember_ro", "geosearchstore"].map(
    (name) => {
      const base = libraryCommand(executor, name);
      return {
        ...base,
        execute(args: unknown, ctx: Parameters<typeof base.execute>[1]) {
          const keys = base.keys(args);
          const [source, target] = name === "geosearchstore" ? keys.toReversed() : keys;
          // A member of a set that is not there is no error.
          if (peek(ctx.db, source!)) return base.execute(args, ctx);
          if (!target) return array([]);
          ctx.db.delete(target);
          return integer(0);
        },
      };
    },
  );
  addCommands(executor, [
    withCheck(libraryCommand(executor, "zadd"), checkScores),
    withCheck(libraryCommand(executor, "zincrby"), ([, amount]) => amount && checkFloat(amount)),
    withCheck(
      withArguments(libraryCommand(executor, "zrange"), (args) =>
        isByScore(args) ? withZeroBounds(args, 1) : args,
      ),
      checkRanks,
    ),
    withArguments(libraryCommand(executor, "zrangestore"), (args) =>
      isByScore(args) ? withZeroBounds(args, 2) : args,
    ),
    ...["zcount", "zrangebyscore", "zrevrangebyscore", "zremrangebyscore"].map((name) =>
      withArguments(libraryCommand(executor, name), (args) => withZeroBounds(args, 1)),
    ),
    ...searches,
  ]);
}

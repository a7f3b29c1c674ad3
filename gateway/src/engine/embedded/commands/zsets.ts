import { RedisCommandError, RedisSyntaxError } from "js-redis-server/core";
import { type CommandTable, optionName } from "./define.js";
import { parseFloatArgument } from "./floats.js";
import { formatDouble } from "./numbers.js";

const ZADD_OPTIONS = new Set(["NX", "XX", "GT", "LT", "CH", "INCR"]);

/** Writes the scores in the spelling that the library reads. */
function withPlainScores(args: readonly Buffer[]): readonly Buffer[] {
  let first = 1;
  while (ZADD_OPTIONS.has(optionName(args[first]))) first += 1;
  if (args.length > 2 && (args.length - first) % 2 !== 0) throw new RedisSyntaxError();
  return args.map((arg, at) => (at >= first && (at - first) % 2 === 0 ? plainScore(arg) : arg));
}

function plainScore(arg: Buffer): Buffer {
  const score = parseFloatArgument(arg.toString("latin1"));
  if (score === undefined) throw new RedisCommandError("value is not a valid float");
  return Buffer.from(formatDouble(score));
}

/** Lets ZADD and ZINCRBY take every spelling of a score that Redis takes. */
export function addSortedSetCommands(table: CommandTable): void {
  table.rewrite("zadd", withPlainScores);
  table.rewrite("zincrby", (args) => (args[1] ? args.with(1, plainScore(args[1])) : args));
}

import {
  formatDouble,
  formatDoubleIn17Digits,
} from "../../../gateway/src/engine/embedded/commands/numbers.js";
import type { Command } from "./commands.js";
import type { Reply } from "./replies.js";

/** Whether replies are the same, apart from {@link isSameScore} where the command replies with scores, or with numbers that a script gave to commands. */
export function isSameReply(command: Command, redis: Reply, embedded: Reply): boolean {
  // EXEC replies for the commands of its transaction.
  return isSame(redis, embedded, /^(Z|BZ|EXEC$|EVAL)/.test(command[0]!));
}

function isSame(redis: Reply, embedded: Reply, hasScores: boolean): boolean {
  if (typeof redis === "string" || typeof embedded === "string")
    return redis === embedded || (hasScores && isSameScore(redis, embedded));
  return (
    redis.length === embedded.length &&
    redis.every((item, index) => isSame(item, embedded[index]!, hasScores))
  );
}

/** Whether one score is written as by Redis before 7.2, in 17 digits, and as by later ones, in as few as stand for it. */
function isSameScore(redis: Reply, embedded: Reply): boolean {
  if (typeof redis !== "string" || !/^\$-?\d/.test(redis)) return false;
  const value = Number(redis.slice(1));
  return redis === `$${formatDoubleIn17Digits(value)}` && embedded === `$${formatDouble(value)}`;
}

import {
  formatDouble,
  formatDoubleIn17Digits,
} from "../../../gateway/src/engine/embedded/commands/numbers.js";
import type { Command } from "./commands.js";
import type { Reply } from "./replies.js";

/**
 * Whether replies are the same. Scores, and numbers that a script passed to commands, may be written differently: see
 * {@link isSameScore}. The sign of a NaN that a script made text of does not count, because WebAssembly does not keep it.
 */
export function isSameReply(command: Command, redis: Reply, embedded: Reply): boolean {
  const isScript = command[0]!.startsWith("EVAL");
  // EXEC replies for the commands of its transaction.
  const hasScores = isScript || /^(Z|BZ|EXEC$)/.test(command[0]!);
  return isSame(redis, embedded, (left, right) => {
    if (left === right) return true;
    if (isScript && left.replaceAll("-nan", "nan") === right) return true;
    return hasScores && isSameScore(left, right);
  });
}

function isSame(
  redis: Reply,
  embedded: Reply,
  isSameText: (redis: string, embedded: string) => boolean,
): boolean {
  if (typeof redis === "string" && typeof embedded === "string") return isSameText(redis, embedded);
  if (typeof redis === "string" || typeof embedded === "string") return false;
  return (
    redis.length === embedded.length &&
    redis.every((item, index) => isSame(item, embedded[index]!, isSameText))
  );
}

/** Whether both texts are one score: in 17 digits, as Redis before 7.2 writes it, and in the fewest digits, as later ones do. */
function isSameScore(redis: string, embedded: string): boolean {
  if (!/^\$-?\d/.test(redis)) return false;
  const value = Number(redis.slice(1));
  return redis === `$${formatDoubleIn17Digits(value)}` && embedded === `$${formatDouble(value)}`;
}

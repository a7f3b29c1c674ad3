import type { Word } from "../wire/words.js";

/** Commands that may wait. The name tells where they say how long. */
const WAITS = /^(B(LPOP|RPOP|RPOPLPUSH|LMOVEM?|LMPOP|ZMPOP|ZPOPMIN|ZPOPMAX)|XREAD(GROUP)?|WAIT(AOF)?)$/;

/**
 * How long a command may wait at the server, in ms: Infinity where it says 0, undefined where it doesn't wait.
 * A wait that can't be read is the server's to refuse.
 */
export function blockingTime(words: readonly Word[]): number | undefined {
  const name = words[0] as string;
  // Most commands are told apart by a letter.
  if (!/^[BWX]/.test(name) || !WAITS.test(name)) return undefined;
  let wait: number;
  if (name.startsWith("X")) {
    const at = words.findIndex((word) => typeof word === "string" && /^(block|streams)$/i.test(word));
    if (!/^block$/i.test(String(words[at]))) return undefined;
    wait = Number(words[at + 1]);
  } else if (name.startsWith("W")) wait = Number(words.at(-1));
  else
    wait = Number(name.endsWith("MPOP") ? words[1] : name.endsWith("MOVEM") ? words[5] : words.at(-1)) * 1000;
  return Number.isNaN(wait) ? 0 : wait > 0 ? wait : Number.POSITIVE_INFINITY;
}

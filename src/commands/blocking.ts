import type { Word } from "../wire/words.js";

type Wait = (words: readonly Word[]) => number | undefined;

const seconds = (word: Word | undefined) => Number(word) * 1000;
const lastSeconds: Wait = (words) => seconds(words[words.length - 1]);
const firstSeconds: Wait = (words) => seconds(words[1]);
const lastMilliseconds: Wait = (words) => Number(words[words.length - 1]);
const blockOption: Wait = (words) => {
  const at = words.findIndex((word) => typeof word === "string" && /^(block|streams)$/i.test(word));
  return at !== -1 && /^block$/i.test(words[at] as string) ? Number(words[at + 1]) : undefined;
};

const WAITS = new Map<Word, Wait>([
  ["BLPOP", lastSeconds],
  ["BRPOP", lastSeconds],
  ["BRPOPLPUSH", lastSeconds],
  ["BLMOVE", lastSeconds],
  ["BZPOPMIN", lastSeconds],
  ["BZPOPMAX", lastSeconds],
  ["BLMPOP", firstSeconds],
  ["BZMPOP", firstSeconds],
  ["XREAD", blockOption],
  ["XREADGROUP", blockOption],
  ["WAIT", lastMilliseconds],
  ["WAITAOF", lastMilliseconds],
]);

/**
 * How long a command may wait at the server, in ms: Infinity where it says 0, undefined where it doesn't wait.
 * A wait that can't be read is the server's to refuse.
 */
export function blockingTime(words: readonly Word[]): number | undefined {
  const wait = WAITS.get(words[0]!)?.(words);
  if (wait === undefined) return undefined;
  return wait > 0 || Number.isNaN(wait) ? wait || 0 : Number.POSITIVE_INFINITY;
}

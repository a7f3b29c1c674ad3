/** The positions of a command's keys among its words. Word 0 is the name. */
export interface KeySpec {
  /** The word with the first key. */
  first?: number;
  /** The distance of the last key from `first`. If negative, its position from the end: -1 is the last word. */
  last?: number;
  /** The distance between keys. */
  step?: number;
  /** Only this part of the words from `first` on has keys: 2 is the first half. */
  limit?: number;
  /** The word with the number of keys. */
  count?: number;
  /** The keys begin after this word, which is searched from word `from` on; from the end if `from` is negative. */
  after?: string;
  from?: number;
}

/** Returns the keys among a command's words, which begin with its name of one or two words. */
export function keysOf(words: readonly string[], specs: readonly KeySpec[]): string[] {
  return specs.flatMap((spec) => {
    const first = spec.after === undefined ? spec.first! : positionAfter(words, spec);
    if (first === 0) return [];
    const keys: string[] = [];
    const { step = 1 } = spec;
    const last = findLast(words, spec, first);
    for (let at = first; at <= last; at += step) keys.push(words[at]!);
    return keys;
  });
}

function positionAfter(words: readonly string[], { after, from = 1 }: KeySpec): number {
  const start = from < 0 ? words.length + from : from;
  return words.findIndex((word, at) => at >= start && word.toUpperCase() === after) + 1;
}

function findLast(
  words: readonly string[],
  { last = 0, step = 1, limit = 1, count }: KeySpec,
  first: number,
): number {
  if (count !== undefined) return first + (Number(words[count]) - 1) * step;
  if (last >= 0) return first + last;
  const end = words.length + last;
  return limit === 1 ? end : first + Math.floor((end - first + 1) / limit) - 1;
}

/** Where a command's keys are: counted from its name, which is word 0. */
export interface KeySpec {
  /** The word with the first key. */
  first?: number;
  /** How far after `first` the last key is; negative from the end of the words, -1 being the last word. */
  last?: number;
  /** The distance between keys. */
  step?: number;
  /** Of the words from `first` on only this part has keys: 2 is the first half. */
  limit?: number;
  /** The word that says how many keys there are. */
  count?: number;
  /** The word right after which the keys begin, looked for from word `from`; from the end if negative. */
  after?: string;
  from?: number;
}

/** The keys among a command's words, its name at their head; a name of two words is two words. */
export function keysOf(words: readonly string[], specs: readonly KeySpec[]): string[] {
  return specs.flatMap((spec) => {
    const first = spec.after === undefined ? spec.first! : positionAfter(words, spec);
    if (first === 0) return [];
    const keys: string[] = [];
    const { step = 1 } = spec;
    const last = lastOf(words, spec, first);
    for (let at = first; at <= last; at += step) keys.push(words[at]!);
    return keys;
  });
}

function positionAfter(words: readonly string[], { after, from = 1 }: KeySpec): number {
  const start = from < 0 ? words.length + from : from;
  return words.findIndex((word, at) => at >= start && word.toUpperCase() === after) + 1;
}

function lastOf(
  words: readonly string[],
  { last = 0, step = 1, limit = 1, count }: KeySpec,
  first: number,
): number {
  if (count !== undefined) return first + (Number(words[count]) - 1) * step;
  if (last >= 0) return first + last;
  const end = words.length + last;
  return limit === 1 ? end : first + Math.floor((end - first + 1) / limit) - 1;
}

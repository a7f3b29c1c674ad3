/** Finds keys among all words of a command; null when they are not of the form that the command must have. */
type WordsFinder = (words: readonly string[]) => readonly number[] | null;

/** The finder for commands whose keys follow from options in any order; undefined for another notation. */
export function keysByOptions(notation: string): WordsFinder | undefined {
  const [name, from] = notation.split("@");
  switch (name) {
    case "sort":
      return sort;
    case "georadius":
      return (words) => geoRadius(words, Number(from));
    case "streams":
      return streams;
    case "migrate":
      return migrate;
    default:
      return undefined;
  }
}

/** Options of SORT and how many words follow each. */
const SORT_OPTIONS = new Map([
  ["ASC", 0],
  ["DESC", 0],
  ["ALPHA", 0],
  ["LIMIT", 2],
  ["BY", 1],
  ["GET", 1],
  ["STORE", 1],
]);

const SORT_RO_OPTIONS = new Map([...SORT_OPTIONS].filter(([option]) => option !== "STORE"));

function sort(words: readonly string[]): readonly number[] | null {
  const options = words[0]!.toUpperCase() === "SORT_RO" ? SORT_RO_OPTIONS : SORT_OPTIONS;
  return firstAndStored(words, 2, options, ["STORE"]);
}

/** Options of GEORADIUS and GEORADIUSBYMEMBER and how many words follow each. */
const GEORADIUS_OPTIONS = new Map([
  ["WITHDIST", 0],
  ["WITHHASH", 0],
  ["WITHCOORD", 0],
  ["ANY", 0],
  ["ASC", 0],
  ["DESC", 0],
  ["COUNT", 1],
  ["STORE", 1],
  ["STOREDIST", 1],
]);

function geoRadius(words: readonly string[], from: number): readonly number[] | null {
  return firstAndStored(words, from, GEORADIUS_OPTIONS, ["STORE", "STOREDIST"]);
}

/** Word 1, and the one after each option that names a key. An option given twice means different things to different eyes. */
function firstAndStored(
  words: readonly string[],
  from: number,
  options: ReadonlyMap<string, number>,
  stores: readonly string[],
): readonly number[] | null {
  const keys = [1];
  const seen = new Set<string>();
  for (let at = from; at < words.length; at++) {
    const option = words[at]!.toUpperCase();
    const values = options.get(option);
    if (values === undefined || at + values >= words.length) return null;
    if (option === "COUNT" && !/^\d+$/.test(words[at + 1]!)) return null;
    if (stores.includes(option)) {
      if (seen.has(option)) return null;
      seen.add(option);
      keys.push(at + 1);
    }
    at += values;
  }
  return keys;
}

/** Options of XREAD and XREADGROUP ahead of STREAMS and how many words follow each. */
const STREAM_OPTIONS = new Map([
  ["BLOCK", 1],
  ["COUNT", 1],
  ["CLAIM", 1],
  ["GROUP", 2],
  ["NOACK", 0],
]);

/** The first half of what follows STREAMS. */
function streams(words: readonly string[]): readonly number[] | null {
  // A group is what XREADGROUP must have, and XREAD must not.
  const grouped = words[0]!.toUpperCase() === "XREADGROUP";
  let hasGroup = false;
  for (let at = 1; at < words.length; at++) {
    const option = words[at]!.toUpperCase();
    if (option === "STREAMS") {
      const rest = words.length - at - 1;
      if (rest === 0 || rest % 2 !== 0 || hasGroup !== grouped) return null;
      return Array.from({ length: rest / 2 }, (_, index) => at + 1 + index);
    }
    const values = STREAM_OPTIONS.get(option);
    if (values === undefined) return null;
    if (option === "GROUP") hasGroup = true;
    at += values;
  }
  return null;
}

const MIGRATE_OPTIONS = new Map([
  ["COPY", 0],
  ["REPLACE", 0],
  ["AUTH", 1],
  ["AUTH2", 2],
]);

/** Word 3, or where that is empty all that follows KEYS. */
function migrate(words: readonly string[]): readonly number[] | null {
  for (let at = 6; at < words.length; at++) {
    const option = words[at]!.toUpperCase();
    if (option === "KEYS") {
      if (words[3] !== "" || at + 1 === words.length) return null;
      return Array.from({ length: words.length - at - 1 }, (_, index) => at + 1 + index);
    }
    const values = MIGRATE_OPTIONS.get(option);
    if (values === undefined) return null;
    at += values;
  }
  return words[3] === "" ? null : [3];
}

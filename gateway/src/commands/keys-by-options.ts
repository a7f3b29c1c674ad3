/** Finds keys among all arguments of a command; null when they are not of the form that the command must have. */
type KeyFinder = (args: readonly string[]) => readonly number[] | null;

/** The finder for commands whose keys follow from options in any order; undefined for another notation. */
export function keysByOptions(notation: string): KeyFinder | undefined {
  const [name, from] = notation.split("@");
  switch (name) {
    case "sort":
      return sort;
    case "georadius":
      return (args) => geoRadius(args, Number(from));
    case "streams":
      return streams;
    case "migrate":
      return migrate;
    default:
      return undefined;
  }
}

/** Options of SORT and how many arguments follow each. */
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

function sort(args: readonly string[]): readonly number[] | null {
  const options = args[0]!.toUpperCase() === "SORT_RO" ? SORT_RO_OPTIONS : SORT_OPTIONS;
  return firstAndStored(args, 2, options, ["STORE"]);
}

/** Options of GEORADIUS and GEORADIUSBYMEMBER and how many arguments follow each. */
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

function geoRadius(args: readonly string[], from: number): readonly number[] | null {
  return firstAndStored(args, from, GEORADIUS_OPTIONS, ["STORE", "STOREDIST"]);
}

/**
 * Argument 1, and the one after each option that names a key. An option that is given twice is refused: Redis might use the
 * other one.
 */
function firstAndStored(
  args: readonly string[],
  from: number,
  options: ReadonlyMap<string, number>,
  stores: readonly string[],
): readonly number[] | null {
  const keys = [1];
  const seen = new Set<string>();
  for (let at = from; at < args.length; at++) {
    const option = args[at]!.toUpperCase();
    const values = options.get(option);
    if (values === undefined || at + values >= args.length) return null;
    if (option === "COUNT" && !/^\d+$/.test(args[at + 1]!)) return null;
    if (stores.includes(option)) {
      if (seen.has(option)) return null;
      seen.add(option);
      keys.push(at + 1);
    }
    at += values;
  }
  return keys;
}

/** Options of XREAD and XREADGROUP ahead of STREAMS and how many arguments follow each. */
const STREAM_OPTIONS = new Map([
  ["BLOCK", 1],
  ["COUNT", 1],
  ["CLAIM", 1],
  ["GROUP", 2],
  ["NOACK", 0],
]);

/** The first half of what follows STREAMS. */
function streams(args: readonly string[]): readonly number[] | null {
  // A group is what XREADGROUP must have, and XREAD must not.
  const grouped = args[0]!.toUpperCase() === "XREADGROUP";
  let hasGroup = false;
  for (let at = 1; at < args.length; at++) {
    const option = args[at]!.toUpperCase();
    if (option === "STREAMS") {
      const rest = args.length - at - 1;
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

/** Argument 3, or where that is empty all that follows KEYS. */
function migrate(args: readonly string[]): readonly number[] | null {
  for (let at = 6; at < args.length; at++) {
    const option = args[at]!.toUpperCase();
    if (option === "KEYS") {
      if (args[3] !== "" || at + 1 === args.length) return null;
      return Array.from({ length: args.length - at - 1 }, (_, index) => at + 1 + index);
    }
    const values = MIGRATE_OPTIONS.get(option);
    if (values === undefined) return null;
    at += values;
  }
  return args[3] === "" ? null : [3];
}

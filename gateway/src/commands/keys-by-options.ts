/** Options in upper case, and how many arguments follow each. */
type Options = ReadonlyMap<string, number>;

const optionsOf = (values: Readonly<Record<string, number>>): Options => new Map(Object.entries(values));
const SORT_RO_OPTIONS = optionsOf({ ASC: 0, DESC: 0, ALPHA: 0, LIMIT: 2, BY: 1, GET: 1 });
const SORT_OPTIONS = new Map([...SORT_RO_OPTIONS, ["STORE", 1]]);
const GEORADIUS_FLAGS = { WITHDIST: 0, WITHHASH: 0, WITHCOORD: 0, ANY: 0, ASC: 0, DESC: 0 };
const GEORADIUS_OPTIONS = optionsOf({ ...GEORADIUS_FLAGS, COUNT: 1, STORE: 1, STOREDIST: 1 });
/** Options of XREAD and XREADGROUP ahead of STREAMS. */
export const STREAM_OPTIONS = optionsOf({ BLOCK: 1, COUNT: 1, CLAIM: 1, GROUP: 2, NOACK: 0 });

/**
 * Returns the options from argument `from` on, each with its index. All arguments after an option named `last` are its values.
 * Returns null if an argument is not an option, or an option has too few values.
 */
function findOptions(
  args: readonly string[],
  from: number,
  options: Options,
  last?: string,
): { readonly name: string; readonly at: number }[] | null {
  const found: { name: string; at: number }[] = [];
  for (let at = from; at < args.length; at++) {
    const name = args[at]!.toUpperCase();
    const values = name === last ? args.length - at - 1 : options.get(name);
    if (values === undefined || at + values >= args.length) return null;
    found.push({ name, at });
    at += values;
  }
  return found;
}

function sort(args: readonly string[]): readonly number[] | null {
  return firstAndStored(args, 2, args[0]!.toUpperCase() === "SORT_RO" ? SORT_RO_OPTIONS : SORT_OPTIONS);
}

/**
 * Argument 1, and the one after STORE and STOREDIST. If one of these is given twice, the command is refused: Redis might use
 * the other one.
 */
function firstAndStored(args: readonly string[], from: number, options: Options): readonly number[] | null {
  const found = findOptions(args, from, options);
  if (!found || found.some(({ name, at }) => name === "COUNT" && !/^\d+$/.test(args[at + 1]!))) return null;
  const stores = found.filter(({ name }) => name.startsWith("STORE"));
  if (new Set(stores.map(({ name }) => name)).size < stores.length) return null;
  return [1, ...stores.map(({ at }) => at + 1)];
}

/** The first half of what follows STREAMS. */
function streams(args: readonly string[]): readonly number[] | null {
  const found = findOptions(args, 1, STREAM_OPTIONS, "STREAMS") ?? [];
  const last = found.at(-1);
  // XREADGROUP must have a group, and XREAD must not.
  const isGrouped = args[0]!.toUpperCase() === "XREADGROUP";
  if (last?.name !== "STREAMS" || found.some(({ name }) => name === "GROUP") !== isGrouped) return null;
  const count = args.length - last.at - 1;
  if (count === 0 || count % 2 !== 0) return null;
  return Array.from({ length: count / 2 }, (_, at) => last.at + 1 + at);
}

/**
 * Functions that find keys whose positions depend on options in any order, by their name in the table, such as `georadius@6`. They
 * take all arguments of a command, and the number after the @. They return null if the arguments are malformed.
 */
export const KEYS_BY_OPTIONS: Readonly<
  Record<string, (args: readonly string[], from: number) => readonly number[] | null>
> = {
  sort,
  georadius: (args, from) => firstAndStored(args, from, GEORADIUS_OPTIONS),
  streams,
};

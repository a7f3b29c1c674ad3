import type { CommandArg } from "../../protocol/args.js";

type Argv = readonly CommandArg[];

/**
 * The positions of keys of commands whose key is not only the first argument: `from`, the step (1), the number
 * (as many as there are; 0: as many as the argument before them says). A minus: its first argument too.
 */
const KEYS: [names: RegExp, from: number, step?: number, many?: number][] = [
  [/^(DEL|UNLINK|EXISTS|TOUCH|MGET|PF(COUNT|MERGE)|S(DIFF|INTER|UNION)(STORE)?)$/, 1],
  [/^(COPY|GEOSEARCHSTORE|LMOVEM?|RENAME(NX)?|RPOPLPUSH|SMOVE|ZRANGESTORE|LCS)$/, 1, 1, 2],
  [/^MSET(NX)?$/, 1, 2],
  [/^(JSON\.MSET|TS\.MADD)$/, 1, 3],
  [/^MSETEX$/, 2, 2, 0],
  [/^BITOP$/, 2],
  [/^(LMPOP|ZMPOP|S(DIFF|INTER|UNION)CARD|Z(DIFF|INTER|UNION)|ZINTERCARD)$/, 2, 1, 0],
  [/^(Z(DIFF|INTER|UNION)STORE|CMS\.MERGE|TDIGEST\.MERGE)$/, -3, 1, 0],
  [/^(OBJECT|MEMORY|XGROUP|XINFO)$/, 2, 1, 1],
];

/**
 * The keys of a command that a script may run, its name in upper case first.
 * @returns an empty array for PUBLISH, which has none.
 */
export function keysOf(argv: Argv): Argv {
  const name = argv[0] as string;
  if (name === "PUBLISH") return [];
  const first = argv.slice(1, 2);
  if (/^XREAD/.test(name)) {
    const from = name === "XREAD" ? 1 : 4;
    const rest = argv.slice(argv.findIndex((arg, at) => at >= from && /^streams$/i.test(String(arg))) + 1);
    return rest.slice(0, rest.length / 2);
  }
  if (name === "JSON.MGET") return argv.slice(1, -1);
  // The member of GEORADIUSBYMEMBER is no option.
  if (/^SORT|^GEORADIUS/.test(name)) return [...first, ...destinationOf(argv, name.startsWith("S") ? 2 : 3)];
  const spec = KEYS.find(([names]) => names.test(name));
  if (!spec) return first;
  const [, place, step = 1, many = argv.length] = spec;
  const from = Math.abs(place);
  const end = from + (many || Number(argv[from - 1])) * step;
  const keys = argv.filter((_, at) => at >= from && at < end && (at - from) % step === 0);
  return place < 0 ? [...first, ...keys] : keys;
}

/** The key after the last STORE or STOREDIST, where these words are not the values of other options. */
function destinationOf(argv: Argv, from: number): Argv {
  let destination: Argv = [];
  for (let at = from; at < argv.length; at++) {
    const [option] = /^(store(dist)?|by|get)$/i.exec(String(argv[at])) ?? [];
    if (option && ++at && /^s/i.test(option)) destination = argv.slice(at, at + 1);
  }
  return destination;
}

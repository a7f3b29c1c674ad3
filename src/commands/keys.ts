import { type CommandArg, InvalidArgument } from "../protocol/args.js";
import { concat, toBytes } from "../protocol/bytes.js";
import { findSpec } from "./registry.js";

type Argv = readonly CommandArg[];

/**
 * The positions of keys of commands whose key is not only the first argument: `from`, the step (1), the number
 * (as many as there are; 0: as many as the argument before them says; negative: all but so many). A minus before `from`: its
 * first argument too.
 */
const KEYS: [names: RegExp, from: number, step?: number, many?: number][] = [
  [/^(DEL|UNLINK|EXISTS|TOUCH|MGET|PF(COUNT|MERGE)|S(DIFF|INTER|UNION)(STORE)?)$/, 1],
  [/^(COPY|GEOSEARCHSTORE|B?LMOVEM?|RENAME(NX)?|B?RPOPLPUSH|SMOVE|ZRANGESTORE|LCS|TS\.\w+RULE)$/, 1, 1, 2],
  [/^MSET(NX)?$/, 1, 2],
  [/^(JSON\.MSET|TS\.MADD)$/, 1, 3],
  [/^(B([LR]POP|ZPOP(MIN|MAX))|JSON\.MGET)$/, 1, 1, -1],
  [/^MSETEX$/, 2, 2, 0],
  [/^BITOP$/, 2],
  [/^(LMPOP|ZMPOP|S(DIFF|INTER|UNION)CARD|Z(DIFF|INTER|UNION)|ZINTERCARD)$/, 2, 1, 0],
  [/^((EVAL(SHA)?|FCALL)(_RO)?|B[LZ]MPOP)$/, 3, 1, 0],
  [/^(Z(DIFF|INTER|UNION)STORE|CMS\.MERGE|TDIGEST\.MERGE)$/, -3, 1, 0],
  [/^(OBJECT|MEMORY|XGROUP|XINFO)$/, 2, 1, 1],
];

/** Commands none of whose arguments gets a prefix: they have no key. A channel and a pattern of names are none. */
const KEYLESS =
  /^(CLIENT|COMMAND|DBSIZE|ECHO|FLUSH(ALL|DB)|FUNCTION|INFO|KEYS|LASTSAVE|PING|PUBSUB|S?PUBLISH|RANDOMKEY|ROLE|SCAN|SCRIPT|SWAPDB|TIME|WAIT(AOF)?)$/;

/** Commands without a method of the client whose keys are known. Those of modules have one in `warmline/modules`. */
const KEYED = /^(GEORADIUS|FT\.SUG|(BF|CF|CMS|TOPK|TDIGEST)\.|TS\.(?!M[GR]|N|Q|READ))/;

/** The places of a command's keys, its name in upper case at 0. @param patterns whether those by which SORT reads keys count. */
function keyPlaces(argv: Argv, patterns = false): number[] {
  const name = argv[0] as string;
  const { length } = argv;
  const [, place, step = 1, many = length] = KEYS.find(([names]) => names.test(name)) ?? [name, 1, 1, 1];
  let from = Math.abs(place);
  let end = many < 0 ? length + many : from + (many || Number(argv[from - 1])) * step;
  if (/^XREAD/.test(name)) {
    const first = name === "XREAD" ? 1 : 4;
    from = argv.findIndex((arg, at) => at >= first && /^streams$/i.test(String(arg))) + 1 || length;
    end = from + (length - from) / 2;
  }
  const places = place < 0 ? [1] : [];
  for (let at = from; at < end && at < length; at += step) places.push(at);
  if (/^SORT|^GEORADIUS/.test(name)) {
    let destination: number | undefined;
    // The member of GEORADIUSBYMEMBER is no option, and the value of an option is none either.
    for (let at = name[0] === "S" ? 2 : 3; at < length; at++) {
      const [option] = /^(store(dist)?|by|get)$/i.exec(String(argv[at])) ?? [];
      if (!option || ++at === length) continue;
      if (/^s/i.test(option)) destination = at;
      // A pattern without a star reads no key.
      else if (patterns && toBytes(argv[at]!).includes(0x2a)) places.push(at);
    }
    if (destination) places.push(destination);
  }
  return places;
}

/**
 * The keys of a command, its name in upper case first. Of one that has none, it may be the first argument.
 * @returns an empty array for PUBLISH.
 */
export function keysOf(argv: Argv): Argv {
  return argv[0] === "PUBLISH" ? [] : keyPlaces(argv).map((at) => argv[at]!);
}

/** Whether none of a command's arguments gets a prefix. */
export const isKeyless = (argv: Argv): boolean => KEYLESS.test(argv[0] as string);

/**
 * Puts a prefix before each key of a command, in place, and before each pattern by which SORT reads keys.
 * @throws InvalidArgument if its keys are not known.
 */
export function prefixKeys(argv: CommandArg[], prefix: string): void {
  if (isKeyless(argv)) return;
  if (!findSpec(argv)[0] && !KEYED.test(argv[0] as string))
    throw new InvalidArgument("its keys are not known, so it can't be sent by a client with a prefix");
  for (const at of keyPlaces(argv, true)) {
    const key = argv[at]!;
    argv[at] = typeof key === "string" ? prefix + key : concat([toBytes(prefix), key]);
  }
}

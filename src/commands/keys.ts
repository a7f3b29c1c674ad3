import { type CommandArg, InvalidArgument } from "../protocol/args.js";
import { concat, toBytes } from "../protocol/bytes.js";
import { findSpec } from "./registry.js";

type Argv = readonly CommandArg[];

/**
 * Positions of keys, for commands with other keys than the first argument alone. `from` is the index of the first key; if it is
 * negative, the first argument is a key too. `step` is the distance between keys, default 1. `many` is their number, default all;
 * if 0, the argument before the keys gives it; if negative, all but the last `-many` arguments are keys.
 */
const KEYS: [names: RegExp, from: number, step?: number, many?: number][] = [
  [/^(DEL|UNLINK|EXISTS|TOUCH|MGET|PF(COUNT|MERGE)|S(DIFF|INTER|UNION)(STORE)?)$/, 1],
  [/^(COPY|(GEOSEARCH|ZRANGE)STORE|B?LMOVEM?|RENAME(NX)?|B?RPOPLPUSH|SMOVE|LCS|TS\.\w+RULE)$/, 1, 1, 2],
  [/^MSET(NX)?$/, 1, 2],
  [/^(JSON\.MSET|TS\.MADD)$/, 1, 3],
  [/^(B([LR]POP|ZPOP(MIN|MAX))|JSON\.MGET)$/, 1, 1, -1],
  [/^MSETEX$/, 2, 2, 0],
  [/^BITOP$/, 2],
  [/^([LZ]MPOP|[SZ](DIFF|INTER|UNION)CARD|Z(DIFF|INTER|UNION))$/, 2, 1, 0],
  [/^((EVAL(SHA)?|FCALL)(_RO)?|B[LZ]MPOP)$/, 3, 1, 0],
  [/^(Z(DIFF|INTER|UNION)STORE|CMS\.MERGE|TDIGEST\.MERGE)$/, -3, 1, 0],
  [/^(OBJECT|MEMORY|XGROUP|XINFO)$/, 2, 1, 1],
];

/** Commands with arguments, but without keys. Channels, and patterns of names, are not keys. */
const KEYLESS =
  /^(CLIENT|COMMAND|ECHO|FLUSH(ALL|DB)|FUNCTION|INFO|KEYS|PING|PUBSUB|S?PUBLISH|SCAN|SCRIPT|SWAPDB|WAIT(AOF)?)$/;

/** Commands that have no spec in the registry, but known keys. `warmline/modules` has the specs of the module commands. */
const KEYED = /^(GEORADIUS|FT\.SUG|(BF|CF|CMS|TOPK|TDIGEST)\.|TS\.(?!M[GR]|N|Q|READ))/;

/** Returns the indexes of a command's keys, with `patterns` also those of the patterns by which SORT reads keys. */
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
    // Skips the member of GEORADIUSBYMEMBER and the values of options, which may look like names of options.
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
 * Returns a command's keys. For a command without keys it may be the first argument, but for PUBLISH it is an empty array.
 * @param argv the name in upper case, then the arguments.
 */
export function keysOf(argv: Argv): Argv {
  return argv[0] === "PUBLISH" ? [] : keyPlaces(argv).map((at) => argv[at]!);
}

/** Whether a command takes arguments but no key, so that no argument gets a prefix. */
export const isKeyless = (argv: Argv): boolean => KEYLESS.test(argv[0] as string);

/**
 * Prepends a prefix, in place, to each key of a command and to each pattern by which SORT reads keys.
 * @throws InvalidArgument if the command's keys are not known.
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

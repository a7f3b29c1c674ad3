import type { Word } from "../wire/words.js";

type Words = readonly Word[];
type Pick = (words: Words) => Words;

const first: Pick = (words) => words.slice(1, 2);
const second: Pick = (words) => words.slice(2, 3);
const firstTwo: Pick = (words) => words.slice(1, 3);
const all: Pick = (words) => words.slice(1);
const afterFirst: Pick = (words) => words.slice(2);
const every =
  (step: number, from = 1): Pick =>
  (words) =>
    words.filter((_, at) => at >= from && (at - from) % step === 0);
/** So many keys as the word at `at` says, right after it. */
const counted =
  (at: number, step = 1): Pick =>
  (words) =>
    every(step)(["", ...words.slice(at + 1, at + 1 + Number(words[at]) * step)]);
const firstAndCounted: Pick = (words) => [...first(words), ...counted(2)(words)];
/** The first, and the one after an option's name. */
const firstAndAfter =
  (option: RegExp): Pick =>
  (words) => {
    const at = words.findIndex((word, i) => i > 1 && typeof word === "string" && option.test(word));
    return at === -1 ? first(words) : [...first(words), ...words.slice(at + 1, at + 2)];
  };
const streams: Pick = (words) => {
  const at = words.findIndex((word, i) => i > 3 && typeof word === "string" && /^streams$/i.test(word));
  const rest = words.slice(at + 1);
  return rest.slice(0, rest.length / 2);
};

/** Where the keys of a command are that has others than its first argument. */
const KEYS: [names: string, pick: Pick][] = [
  [
    "DEL UNLINK EXISTS TOUCH MGET PFCOUNT PFMERGE SDIFF SDIFFSTORE SINTER SINTERSTORE SUNION SUNIONSTORE JSON.MGET",
    all,
  ],
  ["COPY GEOSEARCHSTORE LMOVE LMOVEM RENAME RENAMENX RPOPLPUSH SMOVE ZRANGESTORE LCS", firstTwo],
  ["MSET MSETNX", every(2)],
  ["JSON.MSET TS.MADD", every(3)],
  ["MSETEX", counted(1, 2)],
  ["BITOP", afterFirst],
  ["LMPOP ZMPOP SINTERCARD ZDIFF ZINTER ZINTERCARD ZUNION", counted(1)],
  ["ZDIFFSTORE ZINTERSTORE ZUNIONSTORE CMS.MERGE TDIGEST.MERGE", firstAndCounted],
  ["SORT", firstAndAfter(/^store$/i)],
  ["GEORADIUS GEORADIUSBYMEMBER", firstAndAfter(/^store(dist)?$/i)],
  ["XREADGROUP XREAD", streams],
  ["OBJECT MEMORY XGROUP XINFO", second],
];

let picks: Map<string, Pick> | undefined;

/**
 * The keys of a command that a script may run, its name in upper case at the head of its words.
 * @returns an empty array for PUBLISH, which has none.
 */
export function keysOf(words: Words): Words {
  picks ??= new Map(KEYS.flatMap(([names, pick]) => names.split(" ").map((name) => [name, pick])));
  if (words[0] === "PUBLISH") return [];
  return (picks.get(words[0] as string) ?? first)(words);
}

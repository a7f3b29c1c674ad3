import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { getKeyIndexes } from "../../../gateway/src/commands/keys.js";
import { command } from "../../../gateway/src/resp/command.js";
import { facts } from "../../../scripts/commands/check.js";
import { idempotencyScript } from "../../../src/execution/exactly-once/script.js";
import { allSpecs, samples } from "../../unit/commands/samples/index.js";

/** Text that no reply may contain. */
export const SECRET = randomBytes(12).toString("hex");
/** Names that no command of the attack mentions, so that a reply with one is a leak. */
export const HIDDEN = `hidden-${randomBytes(8).toString("hex")}`;
export const PREFIX = "app:[x]*";
export const own = (name: string) => `${PREFIX}${name}`;

/** Targets of the attack: keys near the prefix, and keys that patterns lead to. */
export const CANARIES = "other:string app app: app:x app:[x] App:[x]*string w1 other:list other:set".split(
  " ",
);
export const TYPES = ["string", "list", "set", "zset", "hash", "stream", "geo", "hll"];

export const SCRIPT = "return redis.call('GET', 'other:string')";
export const FUNCTION = `#!lua name=leak
redis.register_function{ function_name = 'leak', callback = function() return redis.call('GET', 'other:string') end, flags = { 'no-writes' } }`;
export const SHA = createHash("sha1").update(SCRIPT).digest("hex");

export const ownKey = fc.constantFrom(...TYPES.map(own), own("new"));
export const canary = fc.constantFrom(...CANARIES, `${HIDDEN.slice(0, 6)}*`);
export const OPTIONS =
  `BY GET STORE STOREDIST LIMIT KEYS STREAMS MATCH COUNT TYPE DB REPLACE ABSTTL WITHSCORES WEIGHTS AGGREGATE LEFT RIGHT
MIN MAX NX XX EX PX KEEPTTL ASYNC SAMPLES FULL FLUSH LOAD LIST DUMP USAGE ENCODING HELP CAT SETUSER on allkeys`.split(
    /\s+/,
  );
export const anyWord = fc.oneof(
  { weight: 4, arbitrary: ownKey },
  { weight: 3, arbitrary: canary },
  { weight: 3, arbitrary: fc.constantFrom("0", "1", "2", "3", "-1", "0-0", "+", "-", "(1", "1.5") },
  { weight: 3, arbitrary: fc.constantFrom(...OPTIONS) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(..."* other:* w* app:* # w*->f *->f".split(" "), own("*"), "app:\\[x]\\**"),
  },
  { weight: 1, arbitrary: fc.constantFrom(SCRIPT, SHA, "leak", FUNCTION, "member", "f") },
);

/** Any arguments after the name of a command. */
export const anyCall = (name: string): fc.Arbitrary<string[]> =>
  fc.array(anyWord, { minLength: 0, maxLength: 7 }).map((rest) => [...name.split(" "), ...rest]);

/** Well-formed calls: the ones that the client's tests make of each of its methods. */
export const wellFormed = Object.entries(allSpecs).flatMap(([method, row]) =>
  samples[method]!.map(([args]) => [
    ...row.name.split(" "),
    ...row.encodeArgs((value) => JSON.stringify(value), [...args]).map(String),
  ]),
);

/** A well-formed call with other keys, and perhaps another argument and some more after it. */
export const mutated = (words: string[]): fc.Arbitrary<string[]> => {
  const places = getKeyIndexes(command(...words)) ?? [];
  return fc
    .tuple(
      fc.array(fc.oneof({ weight: 5, arbitrary: ownKey }, { weight: 1, arbitrary: canary }), {
        minLength: places.length,
        maxLength: places.length,
      }),
      fc.option(fc.tuple(fc.nat(words.length - 1), anyWord), { freq: 3 }),
      fc.array(anyWord, { maxLength: 3 }),
    )
    .map(([keys, change, more]) => {
      const made = [...words];
      for (const [at, place] of places.entries()) made[place] = keys[at]!;
      if (change && change[0] > 0) made[change[0]] = change[1];
      return more.length > 1 ? [...made, ...more] : made;
    });
};

/** A command inside the client's own script, which runs whatever it is given. */
export const inScript = (words: string[]): string[] => [
  "EVAL",
  idempotencyScript(false),
  "1",
  own("token"),
  "60000",
  ...words,
];

/** Calls that random arguments would rarely produce. */
export const HAND_MADE = [
  ["EVAL", SCRIPT, "0"],
  ["EVAL", SCRIPT, "1", own("string")],
  ["EVAL", "return redis.call('SCAN', '0', 'COUNT', '1000')", "1", own("string")],
  ["EVAL_RO", SCRIPT, "1", own("string")],
  ["EVALSHA", SHA, "1", own("string")],
  ["EVALSHA_RO", SHA, "1", own("string")],
  ["FCALL", "leak", "1", own("string")],
  ["FCALL_RO", "leak", "1", own("string")],
  ["FUNCTION", "DELETE", "leak"],
  ["FUNCTION", "DUMP"],
  ["SCRIPT", "FLUSH"],
  ["SWAPDB", "0", "1"],
  ["MOVE", own("string"), "1"],
  ["COPY", own("string"), "stolen", "DB", "1"],
  ["COPY", own("string"), own("string"), "DB", "1"],
  ["SORT", own("list"), "BY", "w*", "GET", "other:*", "ALPHA"],
  ["SORT_RO", own("list"), "GET", "other:*", "ALPHA"],
  ["SORT", own("list"), "STORE", "other:list"],
  ["GEORADIUS", own("geo"), "13", "38", "100", "km", "STORE", own("new"), "STORE", "other:list"],
  ["MEMORY", "USAGE", "other:string"],
  ["OBJECT", "ENCODING", "other:string"],
  ["OBJECT", "FREQ", HIDDEN.slice(0, 3)],
  ["DEBUG", "OBJECT", "other:string"],
  ["DEBUG", "JMAP"],
  ["CONFIG", "SET", "maxmemory", "100mb"],
  ["CLIENT", "LIST"],
  ["SLOWLOG", "GET"],
  ["ACL", "SETUSER", "default", "off"],
  ["ACL", "LOG"],
  ["MIGRATE", "127.0.0.1", "1", own("string"), "0", "10"],
  ["COMMAND", "GETKEYS", "GET", "other:string"],
  ["PFCOUNT", own("hll"), "other:string"],
  ["get\0", "other:string"],
  ["GET ", "other:string"],
  ["no-such-command", "other:string"],
];

export const isBlocking = (words: readonly string[]) =>
  facts[words[0]!.toUpperCase()]?.flags?.includes("blocking") ||
  words.some((word) => word.toUpperCase() === "BLOCK");

/** Random calls, except commands that may block at the server. */
export const draw = (arbitrary: fc.Arbitrary<string[]>, count: number): string[][] =>
  fc.sample(arbitrary, { numRuns: count }).filter((words) => !isBlocking(words) && !/^WAIT/i.test(words[0]!));

import type { Command } from "./commands.js";
import type { Difference } from "./compare.js";
import type { Reply } from "./replies.js";

/**
 * A difference between the embedded engine and Redis that is left as it is. The list only shrinks: a test fails when
 * an example of an entry no longer differs, and a new difference is to be mended rather than listed.
 */
export interface KnownDifference {
  readonly name: string;
  /** The shortest sequences that show it. */
  readonly examples: readonly (readonly Command[])[];
  /** Whether a difference is of this kind, after the commands `before`. */
  covers(difference: Difference, before: readonly Command[]): boolean;
}

/** The key, group and consumer of a command that creates the consumer since Redis 7.2. */
function consumerOf([name, ...args]: Command) {
  if (name === "XREADGROUP") {
    const [, group, consumer] = args;
    return { key: args[args.indexOf("STREAMS") + 1], group, consumer };
  }
  const [key, group, consumer] = args;
  return /^X(AUTO)?CLAIM$/.test(name!) ? { key, group, consumer } : undefined;
}

/** A reply to XINFO GROUPS without the numbers of consumers. */
const withoutConsumers = (reply: Reply): string => JSON.stringify(reply).replace(/"\$consumers",":\d+"/g, "");

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "XREADGROUP, XCLAIM and XAUTOCLAIM that get nothing create the consumer, as in Redis since 7.2",
    examples: [
      ["XREADGROUP", "GROUP", "g", "c", "STREAMS", "k", ">"],
      ["XCLAIM", "k", "g", "c", "0", "1-1"],
      ["XAUTOCLAIM", "k", "g", "c", "0", "0"],
    ].flatMap((command) => {
      const before = [["XGROUP", "CREATE", "k", "g", "$", "MKSTREAM"], command];
      return [
        [...before, ["XGROUP", "CREATECONSUMER", "k", "g", "c"]],
        [...before, ["XINFO", "GROUPS", "k"]],
      ];
    }),
    covers: ({ command, redis, embedded }, before) => {
      const consumers = before.flatMap((each) => consumerOf(each) ?? []);
      if (command[0] === "XINFO") {
        const isSame = withoutConsumers(redis) === withoutConsumers(embedded);
        return isSame && consumers.some(({ key }) => key === command[2]);
      }
      return (
        command[1] === "CREATECONSUMER" &&
        redis === ":1" &&
        embedded === ":0" &&
        consumers.some(({ group, consumer }) => group === command[3] && consumer === command[4])
      );
    },
  },
  {
    name: "OBJECT REFCOUNT is that of the value, not of its history",
    examples: [
      [
        ["SET", "k", "1"],
        ["APPEND", "k", "0"],
        ["OBJECT", "REFCOUNT", "k"],
      ],
    ],
    covers: ({ command, redis, embedded }) =>
      command[1] === "REFCOUNT" && redis === ":1" && embedded === ":2147483647",
  },
  {
    name: "OBJECT ENCODING is that of Redis 7.4, and of the value, not of its history",
    examples: [
      [
        ["SADD", "k", "a"],
        ["OBJECT", "ENCODING", "k"],
      ],
    ],
    covers: ({ command, redis, embedded }) =>
      command[1] === "ENCODING" && ENCODINGS.has(`${redis} ${embedded}`),
  },
];

/** Pairs of encodings, of Redis 7.0 and of the embedded engine, that may differ. */
const ENCODINGS = new Set([
  // Redis 7.2 introduced these for small sets and lists.
  "$hashtable $listpack",
  "$quicklist $listpack",
  // Values that were integers or short before they changed.
  "$raw $embstr",
  "$raw $int",
  "$embstr $int",
  "$hashtable $intset",
  // Sorted sets that SORT has converted.
  "$skiplist $listpack",
]);

import type { Command } from "./commands.js";
import type { Difference } from "./compare.js";

/**
 * A difference between the embedded engine and Redis that is left as it is. The list only shrinks: a test fails when the
 * example of an entry no longer differs, and a new difference is to be mended rather than listed.
 */
export interface KnownDifference {
  readonly name: string;
  /** The shortest sequence that shows it. */
  readonly example: readonly Command[];
  /** Whether a difference is of this kind, after the commands `before`. */
  covers(difference: Difference, before: readonly Command[]): boolean;
}

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "XCLAIM and XAUTOCLAIM that claim nothing create the consumer, as in Redis since 7.2",
    example: [
      ["XGROUP", "CREATE", "k", "g", "0", "MKSTREAM"],
      ["XCLAIM", "k", "g", "c", "0", "1-1"],
      ["XGROUP", "CREATECONSUMER", "k", "g", "c"],
    ],
    covers: ({ command, redis, embedded }, before) => {
      const isClaimedBy = (consumer?: string) =>
        before.some(
          ([name, key, group, claimer]) =>
            /^X(AUTO)?CLAIM$/.test(name!) &&
            (consumer === undefined ? key === command[2] : group === command[3] && claimer === consumer),
        );
      // XINFO GROUPS has the number of consumers.
      if (command[0] === "XINFO") return isClaimedBy();
      return (
        command[1] === "CREATECONSUMER" && redis === ":1" && embedded === ":0" && isClaimedBy(command[4])
      );
    },
  },
  {
    name: "OBJECT REFCOUNT is that of the value, not of its history",
    example: [
      ["SET", "k", "1"],
      ["APPEND", "k", "0"],
      ["OBJECT", "REFCOUNT", "k"],
    ],
    covers: ({ command, redis, embedded }) =>
      command[1] === "REFCOUNT" && redis === ":1" && embedded === ":2147483647",
  },
  {
    name: "OBJECT ENCODING is that of Redis 7.4, and of the value, not of its history",
    example: [
      ["SADD", "k", "a"],
      ["OBJECT", "ENCODING", "k"],
    ],
    covers: ({ command, redis, embedded }) =>
      command[1] === "ENCODING" && ENCODINGS.has(`${redis} ${embedded}`),
  },
];

/** Encodings of Redis 7.0 and of the embedded engine that may stand for each other. */
const ENCODINGS = new Set([
  // Redis 7.2 introduced these for small sets and lists.
  "$hashtable $listpack",
  "$quicklist $listpack",
  // What was an integer or short once.
  "$raw $embstr",
  "$raw $int",
  "$embstr $int",
  "$hashtable $intset",
  // What SORT has converted.
  "$skiplist $listpack",
]);

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
  /** Whether a difference is of this kind. */
  covers(difference: Difference, sequence: readonly Command[]): boolean;
}

const isError = (reply: unknown, code = "ERR"): boolean =>
  typeof reply === "string" && reply.startsWith(`-${code}`);

export const knownDifferences: readonly KnownDifference[] = [
  {
    name: "malformed arguments are an error although the key is missing or of another type",
    example: [["LINDEX", "missing", "x"]],
    covers: ({ command, redis, embedded }) =>
      /^(LINDEX|LSET|XDEL|XCLAIM|XGROUP)$/.test(command[0]!) &&
      isError(embedded) &&
      (!isError(redis) || /no such key|NOGROUP|requires the key|Unrecognized/.test(String(redis))),
  },
  {
    name: "malformed arguments are not an error where NOMKSTREAM finds no key",
    example: [["XADD", "missing", "NOMKSTREAM", "x", "f", "v"]],
    covers: ({ command, embedded }) => command.includes("NOMKSTREAM") && embedded === "$-1",
  },
  {
    name: "malformed arguments are an error when a command is queued, not when it is run",
    example: [["MULTI"], ["EXPIREAT", "k", "x"]],
    // Redis then runs the others, the embedded engine none.
    covers: (_difference, sequence) => {
      const multi = sequence.findIndex(([name]) => name === "MULTI");
      return multi !== -1 && sequence.slice(multi).some((command) => command.includes("x"));
    },
  },
  {
    name: "BITFIELD SET of a negative number in an unsigned field with OVERFLOW SAT stores 0, not the largest number",
    example: [
      ["BITFIELD", "k", "OVERFLOW", "SAT", "SET", "u4", "0", "-1"],
      ["GETBIT", "k", "0"],
    ],
    covers: (_difference, sequence) =>
      sequence.some(
        (command) => command[0] === "BITFIELD" && command.includes("SAT") && command.at(-1)!.startsWith("-"),
      ),
  },
  {
    name: "INCRBYFLOAT and HINCRBYFLOAT add decimals exactly, where Redis rounds to 64 bits",
    example: [["INCRBYFLOAT", "k", "1e300"]],
    covers: (_difference, sequence) =>
      sequence.some(
        (command) =>
          /INCRBYFLOAT$/.test(command[0]!) && /^(1e20|1e300|123456789012345678)$/.test(command.at(-1)!),
      ),
  },
  {
    name: "lexicographical ranges of members with different scores, which Redis leaves undefined",
    example: [
      ["ZADD", "k", "5", "a", "1", "d", "0", "e"],
      ["ZLEXCOUNT", "k", "[c", "+"],
    ],
    covers: (_difference, sequence) => sequence.some((command) => /LEX/.test(command.join(" "))),
  },
  {
    name: "trims with ~ keep one entry more than asked for, where Redis removes whole nodes",
    example: [
      ["XADD", "k", "1-1", "f", "v"],
      ["XTRIM", "k", "MAXLEN", "~", "0"],
    ],
    covers: (_difference, sequence) => sequence.some((command) => command.includes("~")),
  },
  {
    name: "entries that were deleted do not count towards XAUTOCLAIM's COUNT",
    example: [
      ["XADD", "k", "1-1", "f", "v"],
      ["XADD", "k", "2-1", "f", "v"],
      ["XGROUP", "CREATE", "k", "g", "0"],
      ["XREADGROUP", "GROUP", "g", "c", "STREAMS", "k", ">"],
      ["XDEL", "k", "1-1"],
      ["XAUTOCLAIM", "k", "g", "c", "0", "0", "COUNT", "1", "JUSTID"],
    ],
    covers: (_difference, sequence) =>
      sequence.some((command) => command[0] === "XAUTOCLAIM" && command.includes("COUNT")) &&
      sequence.some((command) => /^(XDEL|XTRIM)$/.test(command[0]!) || command.includes("MAXLEN")),
  },
  {
    name: "XCLAIM that claims nothing creates no consumer",
    example: [
      ["XGROUP", "CREATE", "k", "g", "0", "MKSTREAM"],
      ["XCLAIM", "k", "g", "c", "0", "1-1"],
      ["XGROUP", "CREATECONSUMER", "k", "g", "c"],
    ],
    covers: ({ command }, sequence) =>
      /CONSUMER$/.test(command[1] ?? "") && sequence.some(([name]) => name === "XCLAIM"),
  },
  {
    name: "OBJECT REFCOUNT is 1, also of small integers, which Redis shares",
    example: [
      ["SET", "k", "10"],
      ["OBJECT", "REFCOUNT", "k"],
    ],
    covers: ({ command, redis }) => command[1] === "REFCOUNT" && redis === ":2147483647",
  },
  {
    name: "OBJECT ENCODING is that of Redis 7.4, and of the value, not of its history",
    example: [
      ["SADD", "k", "a"],
      ["OBJECT", "ENCODING", "k"],
    ],
    covers: ({ command, redis, embedded }) =>
      command[1] === "ENCODING" && [redis, embedded].every((reply) => /^\$[a-z]+$/.test(String(reply))),
  },
];

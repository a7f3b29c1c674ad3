import fc from "fast-check";
import type { Command } from "./commands.js";

/** Commands of several clients, of which the first ones may wait for what the last client writes. */
export interface BlockedCase {
  /** The command of each client that waits, in the order in which they begin. */
  readonly waiting: readonly Command[];
  readonly writes: readonly Command[];
}

const few = (...values: string[]) => fc.constantFrom(...values);
const key = few("a", "b", "c");
const side = few("LEFT", "RIGHT");
const element = few("x", "y", "z");
const of = (...parts: (string | fc.Arbitrary<string>)[]): fc.Arbitrary<Command> =>
  fc.tuple(...parts.map((part) => (typeof part === "string" ? fc.constant(part) : part)));

const wait = fc.oneof(
  of(few("BLPOP", "BRPOP"), key, "0"),
  of(few("BLPOP", "BRPOP"), key, key, "0"),
  of("BLMOVE", key, few("d", "a"), side, side, "0"),
  of("BRPOPLPUSH", key, "d", "0"),
  of("BLMPOP", "0", "2", key, key, side, "COUNT", few("1", "2")),
  of(few("BZPOPMIN", "BZPOPMAX"), key, "0"),
  of(few("BZPOPMIN", "BZPOPMAX"), key, key, "0"),
  of("BZMPOP", "0", "2", key, key, few("MIN", "MAX")),
  of("XREAD", "BLOCK", "0", "STREAMS", key, "$"),
);

const write = fc.oneof(
  { weight: 4, arbitrary: of(few("RPUSH", "LPUSH"), key, element) },
  { weight: 2, arbitrary: of("RPUSH", key, element, element, element) },
  { weight: 3, arbitrary: of("ZADD", key, few("1", "2"), element) },
  { weight: 1, arbitrary: of("XADD", key, few("1-1", "2-1", "3-1"), "f", element) },
  of("SET", few("a", "b", "d"), "text"),
  of("DEL", key),
  of("RENAME", few("t", "a"), key),
  of("COPY", "t", key, "REPLACE"),
  of("LMOVE", "t", key, side, side),
  of("RPUSH", "t", element),
  of("LINSERT", key, "BEFORE", element, "w"),
  of("SORT", "t", "ALPHA", "STORE", key),
  of("EVAL", "redis.call('rpush', KEYS[1], 'p', 'q') return redis.call('llen', KEYS[1])", "1", key),
);

/** Writes one by one, in a transaction, or both. */
export const blockedCase: fc.Arbitrary<BlockedCase> = fc.record({
  waiting: fc.array(wait, { minLength: 1, maxLength: 4 }),
  writes: fc
    .tuple(
      fc.array(write, { maxLength: 4 }),
      fc.oneof(
        fc.constant([]),
        fc.array(write, { minLength: 1, maxLength: 3 }).map((inside) => [["MULTI"], ...inside, ["EXEC"]]),
      ),
    )
    .map(([single, transaction]) => [...single, ...transaction]),
});

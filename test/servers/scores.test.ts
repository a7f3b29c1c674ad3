import { createConnection } from "node:net";
import { describe, expect, test } from "vitest";
import { startEmbeddedEngine } from "../../gateway/src/engine/embedded.js";
import { type Reply, ReplyClient } from "../support/differential/replies.js";
import { beforeTests } from "../support/lifetime.js";
import { NEEDS_SERVERS, startRedis8 } from "./support/servers.js";

// The embedded engine writes scores as Redis does since 7.2. The other suites compare it with Redis 7.0.

const SCORES = `0 -0 1 -1 3.0 0.1 0.30000000000000004 0.001 0.0001234 0.000001 -1e-7 1.5e-10 5e-324
  4.35 123456.789 100000.5 1e15 9007199254740993 1e16 1e17 123456789012345678 922337203685477580 1152921504606846976
  4611686018427387904 4611686018427389000 9223372036854775807 -9223372036854775808 12345678901234567.5 1e20 1e21 1e22
  1234567890123456789012 12e100 1e300 1.7976931348623157e308 inf -inf`.split(/\s+/);

/** Commands that reply with the score of the only member of a sorted set. */
const READS = [
  ["ZSCORE", "z", "a"],
  ["ZMSCORE", "z", "a"],
  ["ZADD", "z", "INCR", "0", "a"],
  ["ZINCRBY", "z", "0", "a"],
  ["ZRANK", "z", "a", "WITHSCORE"],
  ["ZRANGE", "z", "0", "-1", "WITHSCORES"],
  ["ZRANDMEMBER", "z", "1", "WITHSCORES"],
  ["ZUNION", "1", "z", "WITHSCORES"],
  ["ZSCAN", "z", "0"],
  ["EVAL", "return redis.call('ZSCORE', KEYS[1], 'a')", "1", "z"],
  ["ZMPOP", "1", "z", "MIN"],
];
/** Returns pseudorandom digits, the same in each run. */
const random = (seed: number) => {
  const next = Math.imul(seed + 1, 0x9e3779b1) >>> 0;
  return { whole: next % 10_000_000, decimals: seed % 8 };
};

describe("scores of Redis 8.2", NEEDS_SERVERS, () => {
  let clients: ReplyClient[] = [];
  beforeTests(async (shared) => {
    const server = shared(await startRedis8());
    const engine = shared(await startEmbeddedEngine());
    const streams = [createConnection(server.path!), engine.connect()];
    clients = streams.map((stream) => shared(new ReplyClient(stream)));
  });

  async function runOnBoth(commands: readonly string[][]): Promise<[Reply, Reply][]> {
    const [redis, embedded] = await Promise.all(clients.map((client) => client.run(commands)));
    return redis!.map((reply, index) => [reply, embedded![index]!]);
  }

  test.each(SCORES)("every command writes the score %s as Redis 8.2 does", async (score) => {
    const commands = [["FLUSHALL"], ["ZADD", "z", score, "a"], ...READS];
    const replies = await runOnBoth(commands);
    expect(replies.map(([, embedded], at) => [commands[at], embedded])).toEqual(
      replies.map(([redis], at) => [commands[at], redis]),
    );
  });

  test("scores with up to seven decimals have the digits of Redis 8.2, or rarely fewer for the same number", async () => {
    const scores = Array.from({ length: 5_000 }, (_, seed) => {
      const { whole, decimals } = random(seed);
      return String(whole / 10 ** decimals);
    });
    const members = scores.flatMap((score, index) => [score, String(index)]);
    const [, , range] = await runOnBoth([
      ["FLUSHALL"],
      ["ZADD", "z", ...members],
      ["ZRANGE", "z", "0", "-1", "WITHSCORES"],
    ]);
    const [redis, embedded] = range as [string[], string[]];
    expect(redis).toHaveLength(members.length);
    const differing = redis.flatMap((text, index) => (text === embedded[index] ? [] : [index]));
    expect(differing.length).toBeLessThan(scores.length / 500);
    for (const index of differing) {
      expect(Number(embedded[index]!.slice(1))).toBe(Number(redis[index]!.slice(1)));
      expect(embedded[index]!.length).toBeLessThan(redis[index]!.length);
    }
  });
});

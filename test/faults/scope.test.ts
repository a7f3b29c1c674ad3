import { beforeEach, describe, expect, test } from "vitest";
import { ArgumentError, type CallOptions, ConfigError, Redis, RedisError } from "warmline";
import { carries, loseReply, onRequest } from "warmline-testbed";
import { describeEngines } from "../integration/gateway/engines.js";
import { forEachTest } from "../support/lifetime.js";
import { useBreakablePath } from "./support/breakable-path.js";

// Writes of an event that is delivered twice, under a scope.

describeEngines("a scope", (setup) => {
  const rig = useBreakablePath(setup);
  const redis = forEachTest(async () => rig.client());
  beforeEach(() => redis.flushall());

  /** The client of one delivery of an event. */
  const deliver = (scope = "event-1", strict = false) =>
    redis.with({ writes: "exactly-once", scope, remember: 60, strict });

  describe("with a scope", () => {
    test("a redelivery returns the first delivery's replies and changes nothing", async () => {
      const handler = async (scoped: Redis) => [
        await scoped.incr("n"),
        await scoped.incr("n"),
        await scoped.rpush("list", "a", "b"),
        await scoped.set("text", "new", { get: true }),
        await scoped.lpop("list"),
        await scoped.multi().hincrby("hash", "field", 2).get("n").exec(),
        await scoped.pipeline().append("text", "er").get("text").decr("n").exec(),
      ];
      const first = await handler(deliver());
      expect(first).toEqual([1, 2, 2, null, "a", [2, 2], [5, "newer", 1]]);
      expect(await handler(deliver())).toEqual(first);
      expect(await redis.mget("n", "text")).toEqual([1, "newer"]);
      expect(await redis.lrange("list", 0, -1)).toEqual(["b"]);
      expect(await redis.hget("hash", "field")).toBe(2);
    });

    test("the ordinals of concurrent writes follow the order of issue, across clients with other settings", async () => {
      const handler = async () => {
        const scoped = deliver();
        return Promise.all([
          scoped.incr("n"),
          scoped.with({ timeout: 5_000 }).incr("n"),
          scoped.pipeline().incr("n").incr("n").exec(),
        ]);
      };
      const first = await handler();
      expect(first.flat().sort()).toEqual([1, 2, 3, 4]);
      expect(await handler()).toEqual(first);
      expect(await redis.get("n")).toBe(4);
    });

    test.each<[string, (scoped: Redis, limits: CallOptions) => Promise<unknown>]>([
      ["command", (scoped, limits) => scoped.with(limits).incr("skipped")],
      ["pipeline", (scoped, limits) => scoped.with(limits).pipeline().incr("skipped").incr("skipped").exec()],
      ["transaction", (scoped, limits) => scoped.with(limits).multi().incr("skipped").get("skipped").exec()],
    ])("each write of a %s counts, whatever its limits were", async (_, write) => {
      const deliverWith = async (limits: CallOptions) => {
        const scoped = deliver();
        await scoped.decr("n");
        await write(scoped, limits).catch(() => {});
        await scoped.rpush("list", "element");
      };
      const aborted: CallOptions[] = [
        { signal: AbortSignal.abort() },
        {
          signal: () => {
            throw new Error("no signal");
          },
        },
        { deadline: { remaining: () => 0 } },
        { deadline: { remaining: () => Number.NaN } },
      ];
      for (const limits of [...aborted, {}, {}]) await deliverWith(limits);
      expect(await redis.lrange("list", 0, -1)).toEqual(["element"]);
      expect(await redis.get("n")).toBe(-1);
    });

    test("a write that is refused for its arguments does not count", async () => {
      const scoped = deliver();
      await expect(scoped.incrby("n", Number.NaN)).rejects.toThrow(ArgumentError);
      expect([await scoped.incr("n"), await deliver().incr("n")]).toEqual([1, 1]);
    });

    test("another scope, another order and other arguments apply anew", async () => {
      const one = deliver();
      await one.incr("n");
      await one.incrby("m", 1);
      expect(await deliver("event-2").incr("n")).toBe(2);
      const other = deliver();
      expect(await other.incrby("m", 1)).toBe(2);
      expect(await other.incr("n")).toBe(3);
      expect(await deliver().incrby("n", 1)).toBe(4);
      // The lengths of arguments count.
      expect(await deliver("event-3").rpush("list", "a", "bc")).toBe(2);
      expect(await deliver("event-3").rpush("list", "ab", "c")).toBe(4);
    });

    test("an error reply is returned again", async () => {
      await redis.set("text", "x");
      await expect(deliver().incr("text")).rejects.toThrow(/not an integer/);
      await redis.set("text", 1);
      await expect(deliver().incr("text")).rejects.toThrow(/not an integer/);
      expect(await redis.get("text")).toBe(1);
    });

    test("a write whose reply is lost keeps its ordinal when it is sent again", async () => {
      rig.path.onConnection((number) => (number <= 3 ? onRequest(carries("INCR"), loseReply()) : undefined));
      redis.close();
      expect(await Promise.all([deliver().incr("n"), deliver("event-2").incr("n")])).toEqual(
        expect.arrayContaining([1, 2]),
      );
      expect(await deliver().incr("n")).toBeLessThan(3);
      expect(await redis.get("n")).toBe(2);
    });

    test("a strict scope names the first write that differs from the earlier run's", async () => {
      const first = deliver("strict", true);
      await first.incr("n");
      await first.set("text", "secret");
      const same = deliver("strict", true);
      expect(await same.incr("n")).toBe(1);
      const error = await same.set("text", "other").catch((error) => error);
      expect(error).toBeInstanceOf(RedisError);
      expect(error).toMatchObject({ code: "OTHERPATH", outcome: "answered", command: "SET" });
      expect(error.message).toBe("OTHERPATH write 2 was SET in an earlier run (command: SET)");
      await expect(deliver("strict", true).decr("n")).rejects.toThrow(/write 1 was INCR .*DECR/);
      expect(await redis.mget("n", "text")).toEqual([1, "secret"]);
      expect(await redis.ttl("strict:wl:path")).toBeGreaterThan(50);
    });

    test("a strict write whose reply is lost still returns it, and one that differs is still refused", async () => {
      // The first of these connections loses its first response, each other one its second.
      rig.path.onConnection((number) => onRequest(number === 2 ? 1 : 2, loseReply()));
      redis.close();
      const first = deliver("strict", true);
      expect(await first.incr("n")).toBe(1);
      expect(await first.pipeline().incr("n").get("n").incr("n").exec()).toEqual([2, 2, 3]);
      expect(await first.multi().incr("n").get("n").exec()).toEqual([4, 4]);
      const other = deliver("strict", true).decr("n");
      await expect(other).rejects.toMatchObject({
        name: "RedisError",
        code: "OTHERPATH",
        outcome: "answered",
      });
      expect(rig.path.connectionsOpened).toBeGreaterThanOrEqual(6);
      expect(await redis.get("n")).toBe(4);
    });

    test("the replies are remembered for the given time", async () => {
      await deliver().set("text", "x");
      const [token] = await redis.keys("text:wl:*");
      expect(token).toMatch(/^text:wl:event-1:1:[0-9a-z]{8,14}[@-_]*$/);
      expect(await redis.ttl(token!)).toBeGreaterThan(50);
    });
  });
});

test("a scope, its lifetime and its mode are checked", () => {
  const redis = new Redis({ url: "http://127.0.0.1:1", token: "t" });
  const writes = "exactly-once";
  const refused = (options: object) => {
    try {
      redis.with(options);
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigError);
      return (error as Error).message;
    }
    return undefined;
  };
  for (const scope of ["", "x".repeat(257), "\ud800", 1, null, {}]) {
    expect(refused({ writes, scope })).toBe("scope must be text of 1 to 256 characters");
  }
  for (const remember of [0, -1, Infinity, Number.NaN, "60"]) {
    expect(refused({ writes, scope: "a", remember })).toBe("remember must be a number of seconds above 0");
  }
  const alone = 'scope needs writes: "exactly-once"; remember and strict need scope';
  expect(refused({ scope: "a" })).toBe(alone);
  expect(refused({ writes: "at-most-once", scope: "a" })).toBe(alone);
  expect(refused({ writes, remember: 60 })).toBe(alone);
  expect(refused({ writes, strict: true })).toBe(alone);
  expect(refused({ writes, scope: "a", remember: 12 })).toMatch(
    /^remember \(\d+ ms\) must exceed timeout \(2500 ms\) by 10000 ms/,
  );
  expect(refused({ writes, scope: "a", remember: 12, timeout: 2_000 })).toBeUndefined();
  const scope = "a";
  expect(() => new Redis({ url: "http://127.0.0.1:1", token: "t", writes, scope } as object)).toThrow(
    "scope must be passed to redis.with()",
  );
  // Commands that can't be guarded need another write mode, so a scoped client may change it.
  expect(redis.with({ writes, scope: "a" }).with({ writes: "at-most-once" })).toBeDefined();
});

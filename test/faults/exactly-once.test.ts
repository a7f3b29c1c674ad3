import { beforeEach, describe, expect, test } from "vitest";
import { ConfigError, type Redis, type RedisOptions } from "warmline";
import { carries, loseReply, onRequest } from "warmline-testbed";
import { describeEngines } from "../integration/gateway/engines.js";
import { useBreakablePath } from "./support/breakable-path.js";

// Writes whose replies are lost on the way, under writes: "exactly-once".

describeEngines("exactly-once writes", (setup) => {
  const rig = useBreakablePath(setup);
  beforeEach(() => direct().flushall());

  const { direct } = rig;
  const client = (options: RedisOptions = {}) =>
    rig.client({ writes: "exactly-once", retry: { retries: 8, backoff: () => 1 }, ...options });
  /** Loses the responses to requests that contain `text` on the first `n` connections. */
  const lose = (n: number, text: string) => {
    rig.path.onConnection((number) => (number <= n ? onRequest(carries(text), loseReply()) : undefined));
  };

  describe("with the reply lost", () => {
    test.each([1, 5])("an incr whose reply is lost %i times is applied once and gives 1", async (times) => {
      lose(times, "INCR");
      expect(await client().incr("n")).toBe(1);
      expect(await direct().get("n")).toBe(1);
      expect(rig.path.connectionsOpened).toBeGreaterThan(times);
    });

    test("a pipeline's reads return their first replies", async () => {
      lose(2, "INCR");
      expect(await client().pipeline().incr("n").get("n").incr("n").rpush("l", "a").exec()).toEqual([
        1, 1, 2, 1,
      ]);
      expect(await direct().get("n")).toBe(2);
      expect(await direct().llen("l")).toBe(1);
    });

    test("an automatic batch is applied once", async () => {
      lose(2, "INCR");
      const redis = client();
      expect(await Promise.all([redis.incr("n"), redis.get("n"), redis.incr("n")])).toEqual([1, 1, 2]);
      expect(await direct().get("n")).toBe(2);
    });

    test("a transaction's reads return their first replies", async () => {
      lose(2, "INCR");
      await direct().set("n", 5);
      expect(await client().multi().get("n").incr("n").get("n").exec()).toEqual([5, 6, 6]);
      expect(await direct().get("n")).toBe(6);
    });
  });

  describe("the result", () => {
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    test.each<[string, (redis: Redis) => Promise<unknown>]>([
      ["a status", (redis) => redis.set("k", "v")],
      ["nil", (redis) => redis.set("k", "v", { xx: true })],
      ["an integer", (redis) => redis.incrby("n", 41)],
      ["an integer too large for a number", (redis) => redis.incrby("n", "9007199254740993" as never)],
      ["an integer too low for a number", (redis) => redis.decrby("n", "9007199254740995" as never)],
      ["a large integer in a hash", (redis) => redis.hincrby("h", "f", "9223372036854775807" as never)],
      [
        "a time too large for a number",
        async (redis) => {
          await redis.set("k", "text");
          await redis.pexpireat("k", 2 ** 53);
          return redis.multi().pexpiretime("k").set("other", 1).exec();
        },
      ],
      ["a double", (redis) => redis.incrbyfloat("f", 0.1)],
      ["a double in a hash", (redis) => redis.hincrbyfloat("h", "f", 3.3)],
      ["bytes", (redis) => redis.set("k", bytes).then(() => redis.getdel("k"))],
      ["an array", (redis) => redis.rpush<unknown>("l", "a", 1, { b: 2 }).then(() => redis.lpop("l", 3))],
      ["an empty array", (redis) => redis.zpopmin("none")],
      [
        "nulls in an array",
        (redis) => redis.hset("h", { a: 1 }).then(() => redis.hexpire("h", ["a", "b"], 10)),
      ],
      ["scores", (redis) => redis.zadd("z", { score: 1.5, member: "a" }).then(() => redis.zpopmin("z"))],
      [
        "an error",
        (redis) =>
          redis.set("k", "v").then(() => redis.incr("k").catch((error) => [error.code, error.message])),
      ],
    ])("the result is that of the plain command: %s", async (_what, run) => {
      const plain = await run(direct().with({ codec: "json" })).catch((error) => error.code);
      await direct().flushall();
      const guarded = await run(client()).catch((error) => error.code);
      expect(guarded).toEqual(plain);
    });
  });

  test("commands that can't be guarded are refused before they are sent", async () => {
    const redis = client();
    await expect(redis.flushall()).rejects.toBeInstanceOf(ConfigError);
    await expect(redis.eval("return 1", [], [])).rejects.toMatchObject({ outcome: "unsent" });
    const refused = redis.pipeline().incr("k").blpop("k", 1).exec();
    await expect(refused).rejects.toMatchObject({ name: "ConfigError", command: "BLPOP", index: 1 });
    expect(await redis.get("k")).toBeNull();
    expect(await redis.publish("channel", "message")).toBe(0);
  });

  test("the token expires after exactlyOnceTtl", async () => {
    await client({ exactlyOnceTtl: 20_000 }).incr("n");
    const [token] = await direct().keys("n:wl:*");
    const left = await direct().pttl(token!);
    expect(left).toBeGreaterThan(15_000);
    expect(left).toBeLessThanOrEqual(20_000);
  });
});

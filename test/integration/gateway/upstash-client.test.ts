import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Gateway } from "../../../gateway/src/index.js";
import { describeEngines } from "./engines.js";
import { call } from "./http.js";

describeEngines("@upstash/redis, unmodified", (setup) => {
  let gateway: Gateway;
  let stop: () => Promise<void>;
  let redis: Redis;
  const make = (options: object = {}) =>
    new Redis({ url: gateway.url, token: gateway.token, retry: false, enableTelemetry: false, ...options });
  beforeAll(async () => {
    ({ gateway, stop } = await setup.start());
    redis = make();
  });
  afterAll(() => stop());
  beforeEach(() => redis.flushall());

  const values = [
    { name: "Ada", tags: ["a", "é", "😀"], nested: { n: 1.5, ok: true, none: null } },
    "plain text",
    'é€😀\u2028\u0000\n"\\',
    42,
    true,
    ["a", 1, { b: [] }],
  ];

  test.each(values)("set and get return %j", async (value) => {
    expect(await redis.set("k", value)).toBe("OK");
    expect(await redis.get("k")).toEqual(value);
  });

  test("get of a missing key returns null", async () => {
    expect(await redis.get("nothing")).toBeNull();
  });

  test("set takes options", async () => {
    expect(await redis.set("k", "v", { ex: 100, nx: true })).toBe("OK");
    expect(await redis.set("k", "w", { nx: true })).toBeNull();
    expect(await redis.ttl("k")).toBeGreaterThan(90);
  });

  test("hgetall returns objects, unicode and emoji", async () => {
    const fields = { user: { name: "Zoë" }, schlüssel: "wert", "😀": "😎", n: 7 };
    expect(await redis.hset("h", fields)).toBe(4);
    expect(await redis.hgetall("h")).toEqual(fields);
    expect(await redis.hmget("h", "user", "absent")).toEqual({ user: { name: "Zoë" }, absent: null });
  });

  test("lists, sets, sorted sets and scans work", async () => {
    await redis.rpush<unknown>("l", "a", "b", { c: 1 });
    expect(await redis.lrange("l", 0, -1)).toEqual(["a", "b", { c: 1 }]);
    await redis.sadd("s", "x", "y");
    expect((await redis.smembers("s")).sort()).toEqual(["x", "y"]);
    await redis.zadd("z", { score: 1, member: "one" }, { score: 2.5, member: "two" });
    expect(await redis.zrange("z", 0, -1, { withScores: true })).toEqual(["one", 1, "two", 2.5]);
    const [cursor, keys] = await redis.scan(0, { count: 100 });
    expect(cursor).toBe("0");
    expect(keys.sort()).toEqual(["l", "s", "z"]);
  });

  test("a script runs", async () => {
    expect(await redis.eval("return {KEYS[1], ARGV[1], 3}", ["k"], ["v"])).toEqual(["k", "v", 3]);
  });

  test("an error reply throws", async () => {
    await redis.set("k", "text");
    await expect(redis.incr("k")).rejects.toThrow(/ERR value is not an integer/);
    await expect(redis.exec(["NOSUCH"])).rejects.toThrow(/unknown command/);
  });

  test("a pipeline returns its results", async () => {
    const replies = await redis.pipeline().set("k", { a: "é" }).get("k").incr("n").hgetall("none").exec();
    expect(replies).toEqual(["OK", { a: "é" }, 1, null]);
    await expect(redis.pipeline().set("k", "v").incr("k").exec()).rejects.toThrow(/not an integer/);
  });

  test("a transaction returns its results", async () => {
    const replies = await redis.multi().set("k", "😀").get("k").incrby("n", 5).exec();
    expect(replies).toEqual(["OK", "😀", 5]);
    await redis.set("k", "old");
    const wrong = redis.multi().set("k", "new");
    wrong.json.numincrby("k", "$", 1);
    await wrong.exec().catch(() => {});
    await expect(redis.multi().set("k", "newer").exec()).resolves.toEqual(["OK"]);
  });

  test("automatic pipelining sends one request", async () => {
    const batching = make({ enableAutoPipelining: true });
    const requests = async () =>
      Number(/^warmline_gateway_requests_total (\d+)$/m.exec((await call(gateway, "/metrics")).text)?.[1]);
    const before = await requests();
    const sets = Array.from({ length: 20 }, (_, i) => batching.set(`k${i}`, { i }));
    expect(await Promise.all(sets)).toEqual(sets.map(() => "OK"));
    expect(await Promise.all(sets.map((_, i) => batching.get(`k${i}`)))).toEqual(sets.map((_, i) => ({ i })));
    expect((await requests()) - before).toBe(3);
  });

  test("the client works without base64", async () => {
    const plain = make({ responseEncoding: false });
    await plain.set("k", { text: "é😀" });
    expect(await plain.get("k")).toEqual({ text: "é😀" });
    expect(await plain.pipeline().get("k").exec()).toEqual([{ text: "é😀" }]);
  });

  test("an invalid token throws", async () => {
    await expect(make({ token: "wrong" }).set("k", "v")).rejects.toThrow(/WRONGPASS/);
    expect(await redis.get("k")).toBeNull();
  });

  test("the client gets its sync token", async () => {
    const fresh = make();
    expect(fresh.readYourWritesSyncToken).toBe("");
    await fresh.set("k", "v");
    expect(fresh.readYourWritesSyncToken).toBeTruthy();
    expect(await fresh.get("k")).toBe("v");
  });
});

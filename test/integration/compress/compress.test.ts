import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { CompressionError, compress } from "warmline/compress";
import { near } from "warmline/near";
import { follow, produce } from "warmline/streams";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { startPlainEndpoint } from "../../support/plain-endpoint.js";
import { embeddedEngine } from "../gateway/engines.js";

describe("compressed values", () => {
  const client = (options: RedisOptions = {}) =>
    new Redis({ url: gateway.url, token: gateway.token, timeout: 10_000, codec: compress(), ...options });
  const gateway = sharedByTests(() => embeddedEngine.start());
  const plain = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
  beforeEach(() => plain.flushall());

  const user = { name: "Löwe 🦁", tags: Array.from({ length: 500 }, (_, n) => ({ n, tag: "recurring" })) };
  const size = JSON.stringify(user).length;

  test("values in strings, hashes, lists, pipelines and transactions", async () => {
    const redis = client();
    await redis.set("k", user, { ex: 60 });
    expect(await redis.get("k")).toEqual(user);
    expect(await plain.strlen("k")).toBeLessThan(size / 5);
    await redis.mset({ a: user, small: { n: 1 } });
    expect(await redis.mget("a", "small", "none")).toEqual([user, { n: 1 }, null]);
    expect(await plain.get("small")).toEqual({ n: 1 });
    await redis.hset("h", { field: user, other: 2 });
    expect(await redis.hgetall("h")).toEqual({ field: user, other: 2 });
    expect(await redis.hmget("h", "other", "field")).toEqual({ other: 2, field: user });
    await redis.rpush("l", user, "x" as never);
    expect(await redis.pipeline().lrange("l", 0, -1).get("k").exec()).toEqual([[user, "x"], user]);
    expect(await redis.multi().set("t", user).get("t").exec()).toEqual(["OK", user]);
    expect(await Promise.all([redis.get("t"), redis.get("a")])).toEqual([user, user]);
    await redis.update<typeof user>("k", (value) => ({ ...value!, name: "Ada" }));
    expect(await redis.get("k")).toEqual({ ...user, name: "Ada" });
    const once = redis.with({ writes: "exactly-once" });
    await once.set("k", user);
    expect(await once.get("k")).toEqual(user);
  });

  test("values that are not compressed are read, and counters count", async () => {
    await plain.mset({ old: user, n: 5 });
    const redis = client();
    expect(await redis.get("old")).toEqual(user);
    expect(await redis.incr("n")).toBe(6);
    expect(await redis.get("n")).toBe(6);
  });

  test("messages and entries of streams", async () => {
    const redis = client();
    const subscriber = redis.subscribe("channel");
    const message = new Promise((resolve) => subscriber.on("message", resolve));
    await subscriber.ready;
    await redis.publish("channel", user);
    expect(await message).toMatchObject({ message: user });
    await subscriber.unsubscribe();
    const writer = produce(redis, "log").getWriter();
    await writer.write({ part: user });
    await writer.close();
    const parts: unknown[] = [];
    for await (const { fields } of follow(redis, "log")) parts.push(fields.part);
    expect(parts).toEqual([user]);
  });

  test("a near cache holds compressed bytes", async () => {
    const cache = near({ match: "*" });
    const redis = client({ near: cache });
    await redis.set("k", user);
    expect([await redis.get("k"), await redis.get("k")]).toEqual([user, user]);
    expect(cache.stats.hits).toBe(1);
    expect(cache.stats.bytesSaved).toBeLessThan(size / 5);
  });

  test("values are compressed as text on an endpoint that takes no bytes in batches", async () => {
    const { url } = forTest(await startPlainEndpoint(gateway));
    const redis = client({ url, codec: compress({ text: true }) });
    await redis.ping();
    await redis.pipeline().set("k", user, { ex: 60 }).hset("h", { user }).exec();
    expect(await redis.pipeline().get("k").hget("h", "user").exec()).toEqual([user, user]);
    expect(await plain.get("k")).toMatch(/^warmline:gzip:H4sI/);
    const bytes = client({ url });
    expect(await bytes.get("k")).toEqual(user);
    await bytes.set("k", user);
    expect(await bytes.get("k")).toEqual(user);
  });

  test("a value that can't be decompressed rejects its call alone", async () => {
    const redis = client({ codec: compress({ maxSize: 2_000 }) });
    await client().set("bomb", "a".repeat(100_000));
    await plain.set("other", 1);
    await expect(redis.get("bomb")).rejects.toBeInstanceOf(CompressionError);
    const results = await redis.pipeline().get("bomb").get("other").exec({ keepErrors: true });
    expect(results[0].error).toMatchObject({ name: "CompressionError", outcome: "answered" });
    expect(results[1].result).toBe(1);
    await expect(redis.set("k", "a".repeat(2_001))).rejects.toMatchObject({
      name: "ArgumentError",
      outcome: "unsent",
      message: "compress: the value has 2001 bytes, and maxSize is 2000",
    });
    await expect(redis.set("k", undefined)).rejects.toThrow("SET: argument 2 is undefined");
  });
});

import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { Redis as FetchRedis } from "warmline/fetch";
import { sharedByTests } from "../../support/lifetime.js";
import { scaled } from "../../support/random-tests.js";
import { describeEngines } from "../gateway/engines.js";

// Values come back as they were stored, on every engine, entry and response format.

const clients: [string, (options: RedisOptions) => Redis][] = [
  ["Node entry, RESP2", (options) => new Redis(options)],
  ["fetch entry, JSON", (options) => new FetchRedis({ ...options, responseFormat: "json" })],
];

describeEngines("values", ({ start }) => {
  const gateway = sharedByTests(() => start());

  describe.each(clients)("%s", (_name, make) => {
    const client = (options: RedisOptions = {}) =>
      make({ url: gateway.url, token: gateway.token, ...options });
    beforeEach(() => client().flushall());

    const values = ["00123", "1e5", '{"id":9007199254740993}', '"quoted"', "", "é🎉", "+OK\r\n$-1\r\n"];

    test.each(values)("%j comes back as it was stored, from every kind of reply", async (value) => {
      const redis = client();
      await redis.set("key", value);
      await redis.hset("hash", { field: value });
      await redis.rpush("list", value);
      await redis.sadd("set", value);
      await redis.zadd("sorted", { score: 1, member: value });
      expect(await redis.get("key")).toBe(value);
      expect(await redis.mget("key", "key")).toEqual([value, value]);
      expect(await redis.hget("hash", "field")).toBe(value);
      expect(await redis.hgetall("hash")).toEqual({ field: value });
      expect(await redis.hmget("hash", "field")).toEqual({ field: value });
      expect(await redis.hvals("hash")).toEqual([value]);
      expect(await redis.lrange("list", 0, -1)).toEqual([value]);
      expect(await redis.smembers("set")).toEqual([value]);
      expect(await redis.zrange("sorted", 0, -1)).toEqual([value]);
      expect(await redis.pipeline().get("key").lpop("list").exec()).toEqual([value, value]);
      expect(await redis.multi().get("key").exec()).toEqual([value]);
      expect(await redis.exec(["GET", "key"])).toBe(value);
    });

    test("all 256 bytes come back from a value, a hash field, a list item and a key", async () => {
      const redis = client({ codec: "bytes" });
      const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
      await redis.set("key", bytes);
      await redis.set(bytes, "named by bytes");
      await redis.hset("hash", { field: bytes });
      await redis.rpush("list", bytes, bytes);
      expect(await redis.get("key")).toEqual(bytes);
      expect(await client({ codec: "text" }).get(bytes)).toBe("named by bytes");
      expect(await redis.hgetall("hash")).toEqual({ field: bytes });
      expect(await redis.lrange("list", 0, -1)).toEqual([bytes, bytes]);
      expect(await redis.pipeline().set("b", bytes).get("b").exec()).toEqual(["OK", bytes]);
      expect(await redis.multi().set("c", bytes).get("c").exec()).toEqual(["OK", bytes]);
    });

    test("a large value comes back whole", async () => {
      const redis = client();
      const value = { text: "é".repeat(scaled(2_500_000)) };
      await redis.set("large", value);
      expect(await redis.get("large")).toEqual(value);
    });

    test("a call takes 50,000 keys as arguments, and 100,000 as an array", { tags: "full-run" }, async () => {
      const redis = client();
      const keys = Array.from({ length: 100_000 }, (_, at) => `key${at}`);
      expect(await redis.mget(...keys.slice(0, 50_000))).toHaveLength(50_000);
      expect(await redis.mget(keys)).toHaveLength(keys.length);
    });
  });
});

import Keyv from "keyv";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { KeyvStore } from "warmline-adapters/keyv";
import { useGateway } from "warmline-gateway/testing";

const gateway = useGateway({ beforeAll, beforeEach, afterAll });
const keyvOf = (namespace?: string, prefix?: string) =>
  new Keyv({
    store: new KeyvStore(Redis.fromEnv(), { prefix }),
    namespace,
    useKeyPrefix: namespace !== undefined,
  });

describe("a Keyv on KeyvStore", () => {
  test("values come back as they were set", async () => {
    const keyv = keyvOf("app");
    const values = {
      object: { name: "Ada", n: 1.5 },
      text: '{"json":true}',
      digits: "007",
      bytes: Buffer.from([0, 255]),
    };
    for (const [key, value] of Object.entries(values)) await keyv.set(key, value);
    for (const [key, value] of Object.entries(values)) expect(await keyv.get(key)).toEqual(value);
    expect(await keyv.get(["object", "none"])).toEqual([values.object, undefined]);
    expect(await Redis.fromEnv().exists("keyv:app:object")).toBe(1);
  });

  test("a value with a time to live expires in Redis", async () => {
    const keyv = keyvOf("app");
    await keyv.set("short", 1, 60_000);
    expect(await Redis.fromEnv().pttl("keyv:app:short")).toBeGreaterThan(50_000);
    const entries = [
      { key: "a", value: 1, ttl: 60_000 },
      { key: "b", value: 2 },
    ];
    expect(await keyv.setMany(entries)).toEqual([true, true]);
    expect(await keyv.setMany([])).toEqual([]);
    expect(await Redis.fromEnv().ttl("keyv:app:a")).toBeGreaterThan(50);
    expect(await Redis.fromEnv().ttl("keyv:app:b")).toBe(-1);
  });

  test("an infinite time to live means none, and an invalid one is refused", async () => {
    const keyv = keyvOf("app");
    for (const [key, ttl] of Object.entries({ endless: Number.POSITIVE_INFINITY, ages: 1e300 })) {
      expect(await keyv.set(key, 1, ttl)).toBe(true);
      expect(await Redis.fromEnv().pttl(`keyv:app:${key}`)).toBe(-1);
    }
    const store = new KeyvStore(Redis.fromEnv());
    for (const ttl of [Number.NaN, "60" as never, "1e16" as never]) {
      await expect(store.set("k", "v", ttl)).rejects.toThrow(/^ttl must be a number of ms/);
      await expect(store.setMany([{ key: "k", value: "v", ttl }])).rejects.toThrow(
        /^ttl must be a number of ms/,
      );
    }
  });

  test("a store serves one namespace: a second Keyv with another one is refused", async () => {
    const store = new KeyvStore(Redis.fromEnv());
    const one = new Keyv({ store, namespace: "one" });
    expect(() => new Keyv({ store, namespace: "other" })).toThrow(
      /^KeyvStore: .*one store for each namespace/,
    );
    expect(() => new Keyv({ store, namespace: "" })).toThrow(/^KeyvStore: /);
    new Keyv({ store, namespace: "one" });
    await one.set("k", 1);
    await one.clear();
    expect(await one.get("k")).toBeUndefined();
  });

  test("delete, has and their forms for many keys work", async () => {
    const keyv = keyvOf("app");
    await keyv.setMany([
      { key: "a", value: 1 },
      { key: "b", value: 2 },
    ]);
    expect([await keyv.has("a"), await keyv.has("none")]).toEqual([true, false]);
    expect(await keyv.has(["a", "none"])).toEqual([true, false]);
    expect([await keyv.delete("a"), await keyv.delete("a")]).toEqual([true, false]);
    expect(await keyv.delete(["b", "none"])).toBe(true);
    expect(await keyv.get("b")).toBeUndefined();
  });

  test("clear removes the keys of its namespace alone", async () => {
    const redis = Redis.fromEnv();
    await redis.set("keyv:apps:x", "other");
    await redis.set("other", 1);
    const keyv = keyvOf("app");
    await keyv.setMany(Array.from({ length: 700 }, (_, n) => ({ key: String(n), value: n })));
    await keyv.clear();
    expect((await redis.keys("*")).sort()).toEqual(["keyv:apps:x", "other"]);
  });

  test("a prefix with special characters of patterns matches itself alone", async () => {
    const redis = Redis.fromEnv();
    await redis.set("cacheX:1", 1);
    const store = new KeyvStore(redis, { prefix: "cache[XY]*:" });
    await store.set("1", "v");
    await store.clear();
    expect(await redis.keys("*")).toEqual(["cacheX:1"]);
  });

  test("an iterator yields each key without the prefix", async () => {
    const keyv = keyvOf("app");
    await keyv.setMany([
      { key: "a", value: 1 },
      { key: "b", value: [2] },
    ]);
    const found = new Map();
    for await (const [key, value] of keyv.iterator!(undefined)) found.set(key, value);
    expect(Object.fromEntries(found)).toEqual({ a: 1, b: [2] });
  });

  test("a failure emits an error event, and the read has no value", async () => {
    const keyv = new Keyv({ store: new KeyvStore(new Redis({ url: gateway.url, token: "wrong" })) });
    const errors: unknown[] = [];
    keyv.on("error", (error) => errors.push(error));
    expect(await keyv.get("a")).toBeUndefined();
    expect(String(errors[0])).toContain("WRONGPASS");
    await expect(keyv.get(["a", "b"])).rejects.toThrow("WRONGPASS");
    await expect(keyv.has("a")).rejects.toThrow("WRONGPASS");
    expect(await keyv.delete("a")).toBe(false);
  });

  test("a value that is not text is an error that says what to do", async () => {
    await expect(new KeyvStore(Redis.fromEnv()).set("k", { a: 1 })).rejects.toThrow(
      "leave serialize and deserialize",
    );
  });
});

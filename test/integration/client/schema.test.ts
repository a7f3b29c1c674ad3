import vm from "node:vm";
import * as v from "valibot";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis, SchemaError, type StandardSchema } from "warmline";
import * as z from "zod";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";

// Reads that are given a schema: what comes back is what the schema makes of the stored value.

/** Schemas of three kinds: zod's and valibot's answer at once, the third later. */
const users: Record<string, StandardSchema<{ name: string; age: number }>> = {
  zod: z.object({ name: z.string(), age: z.coerce.number() }),
  valibot: v.object({ name: v.string(), age: v.pipe(v.unknown(), v.transform(Number)) }),
  "an asynchronous one": z.object({ name: z.string(), age: z.coerce.number() }).refine(async () => true),
};
const positive = z.number().positive();

/** Schemas that return a promise of another realm, as in a test that runs in a vm, or an object that is no `Promise` at all. */
const laterElsewhere: [string, (value: unknown) => any][] = [
  ["a promise of another realm", (value) => vm.runInNewContext("Promise.resolve({ value })", { value })],
  // biome-ignore lint/suspicious/noThenProperty: what is tested
  ["a thenable", (value) => ({ then: (settle: (result: object) => void) => settle({ value }) })],
];

/** The error that a call rejects with. */
async function failure(call: Promise<unknown>): Promise<SchemaError> {
  return call.then(
    () => expect.unreachable("it should have been rejected"),
    (error) => error,
  );
}

describeEngines("schemas", ({ start }) => {
  const gateway = sharedByTests(() => start());
  const redis = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
  beforeEach(() => redis.flushall());

  test.each(laterElsewhere)("a schema may return %s", async (_, validate) => {
    const schema: StandardSchema<unknown> = { "~standard": { version: 1, vendor: "test", validate } };
    await redis.set("n", 1);
    await redis.rpush("l", 2, 3);
    expect(await redis.get("n", { schema })).toBe(1);
    expect(await redis.lrange("l", 0, -1, { schema })).toEqual([2, 3]);
    expect(await redis.pipeline().get("n", { schema }).lrange("l", 0, -1, { schema }).exec()).toEqual([
      1,
      [2, 3],
    ]);
  });

  describe.each(Object.entries(users))("%s", (_name, schema) => {
    const ada = { name: "Ada", age: 36 };
    const stored = { name: "Ada", age: "36", secret: "left out" };

    test("a value is the output of the schema", async () => {
      await redis.set("k", stored);
      expect(await redis.get("k", { schema })).toEqual(ada);
      expect(await redis.getex("k", { ex: 60, schema })).toEqual(ada);
      expect(await redis.ttl("k")).toBeGreaterThan(0);
      expect(await redis.mget("k", "missing", "k", { schema })).toEqual([ada, null, ada]);
      expect(await redis.mget(["k", "missing"], { schema })).toEqual([ada, null]);
      expect(await redis.getdel("k", { schema })).toEqual(ada);
      expect(await redis.get("k", { schema })).toBeNull();
    });

    test("a hash is checked as a whole, or field by field", async () => {
      await redis.hset("h", stored);
      expect(await redis.hgetall("h", { schema })).toEqual(ada);
      expect(await redis.hgetall("missing", { schema })).toBeNull();
      expect(await redis.hmget("h", "name", "age", { schema })).toEqual(ada);
      expect(await redis.hmget("missing", "name", { schema })).toBeNull();
      await redis.hset("users", { a: stored });
      expect(await redis.hget("users", "a", { schema })).toEqual(ada);
      expect(await redis.hget("users", "b", { schema })).toBeNull();
      expect(await redis.hvals("users", { schema })).toEqual([ada]);
    });

    test("elements are checked one by one", async () => {
      await redis.rpush("l", stored, { ...stored, name: "Bob" }, stored);
      const bob = { ...ada, name: "Bob" };
      expect(await redis.lrange("l", 0, -1, { schema })).toEqual([ada, bob, ada]);
      expect(await redis.lindex("l", 1, { schema })).toEqual(bob);
      expect(await redis.lpop("l", 1, { schema })).toEqual([ada]);
      expect(await redis.rpop("l", { schema })).toEqual(ada);
      expect(await redis.rpop("l", 2, { schema })).toEqual([bob]);
      expect(await redis.lpop("l", { schema })).toBeNull();
      await redis.sadd("s", stored);
      expect(await redis.smembers("s", { schema })).toEqual([ada]);
      expect(await redis.srandmember("s", { schema })).toEqual(ada);
      expect(await redis.srandmember("s", 1, { schema })).toEqual([ada]);
      expect(await redis.spop("s", 1, { schema })).toEqual([ada]);
      await redis.sadd("s", stored);
      expect(await redis.spop("s", { schema })).toEqual(ada);
    });

    test("a value that does not match is a SchemaError with the issues and without the value", async () => {
      await redis.set("wrong", { name: 987_654, age: 1 });
      const error = await failure(redis.get("wrong", { schema }));
      expect(error).toBeInstanceOf(SchemaError);
      expect(error).toMatchObject({ outcome: "answered", command: "GET", index: undefined });
      expect(error.issues).toHaveLength(1);
      expect(error.issues[0]!.message).toMatch(/string/i);
      expect(JSON.stringify(error.issues[0]!.path)).toContain("name");
      expect(error.message).not.toContain("987654");
    });

    test("a failed check in a pipeline or transaction rejects only its command, with the index", async () => {
      await redis.mset({ k: stored, wrong: "text" });
      for (const batch of [redis.pipeline(), redis.multi()]) {
        batch.get("k", { schema }).get("wrong", { schema }).incr("n").hgetall("missing", { schema });
        const kept = await batch.exec({ keepErrors: true });
        expect(kept[0]).toEqual({ result: ada });
        expect(kept[1]!.error).toMatchObject({ name: "SchemaError", index: 1, outcome: "answered" });
        expect(kept.slice(2).map(({ error }) => error)).toEqual([undefined, undefined]);
        expect(await failure(batch.exec())).toMatchObject({ name: "SchemaError", index: 1, command: "GET" });
      }
    });

    test("a failed check in an automatic batch rejects only its command", async () => {
      await redis.mset({ k: stored, wrong: "text" });
      const settled = await Promise.allSettled([
        redis.get("k", { schema }),
        redis.get("wrong", { schema }),
        redis.incr("n"),
      ]);
      expect(settled.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
      expect((settled[1] as PromiseRejectedResult).reason).toBeInstanceOf(SchemaError);
    });
  });

  test("one element that does not match rejects the read", async () => {
    await redis.rpush("l", 1, -2, 3);
    const error = await failure(redis.lrange("l", 0, -1, { schema: positive }));
    expect(error).toMatchObject({ name: "SchemaError", command: "LRANGE" });
    expect(await redis.lrange("l", 0, 0, { schema: positive })).toEqual([1]);
  });

  test("a stored null is a value, and is checked", async () => {
    await redis.set("k", "null");
    expect(await failure(redis.get("k", { schema: positive }))).toBeInstanceOf(SchemaError);
    expect(await redis.get("k", { schema: z.null() })).toBeNull();
  });

  test("a written value that looks like the option is a value", async () => {
    await redis.set("k", { schema: "public" });
    expect(await redis.get("k")).toEqual({ schema: "public" });
    await redis.lpush("l", { schema: { "~standard": 1 } });
    expect(await redis.llen("l")).toBe(1);
  });
});

test("a JSON document's path and fields of HGETDEL and HGETEX are checked as a whole, several documents one by one", async () => {
  const endpoint = await RawEndpoint.startForTest();
  const redis = forTest(new Redis({ url: endpoint.url, token: "t" }));
  const bulk = (text: string) => `$${text.length}\r\n${text}\r\n`;
  const sent = () => JSON.parse(endpoint.requests.at(-1)!.body);
  endpoint.answer(resp2Response(bulk('"123"')));
  expect(await redis.json.get("d", ".id", { schema: z.string() })).toBe("123");
  expect(sent()).toEqual(["JSON.GET", "d", ".id"]);
  expect(await redis.json.get("d", { schema: z.string() }, ".id")).toBe("123");
  expect(sent()).toEqual(["JSON.GET", "d", ".id"]);
  expect(await failure(redis.json.get("d", { schema: positive }))).toMatchObject({ command: "JSON.GET" });
  endpoint.answer(resp2Response(`*3\r\n${bulk("[1]")}$-1\r\n${bulk('"x"')}`));
  const schema = z.union([z.array(z.number()), z.string()]).refine(async () => true);
  expect(await redis.json.mget(["a", "b", "c"], "$", { schema })).toEqual([[1], null, "x"]);
  endpoint.answer(resp2Response(`*1\r\n${bulk("7")}`));
  const fields = { schema: z.object({ age: z.number().transform((age) => age + 1) }) };
  expect(await redis.hgetdel("h", "age", fields)).toEqual({ age: 8 });
  expect(await redis.hgetex("h", { ex: 60, ...fields }, "age")).toEqual({ age: 8 });
  expect(await redis.hgetex("h", fields, "age")).toEqual({ age: 8 });
});

import * as v from "valibot";
import { describe, expectTypeOf, test } from "vitest";
import * as z from "zod";
import type { Redis, StandardSchema } from "../../src/index.js";

declare const redis: Redis;

interface User {
  name: string;
  age: number;
}

declare const own: StandardSchema<User>;

test("schemas of zod and valibot determine the types", () => {
  const byZod = z.object({ name: z.string(), age: z.coerce.number() });
  expectTypeOf(redis.get("k", { schema: byZod })).toEqualTypeOf<Promise<User | null>>();
  expectTypeOf(redis.lrange("l", 0, -1, { schema: byZod })).toEqualTypeOf<Promise<User[]>>();
  const byValibot = v.object({ name: v.string(), age: v.number() });
  expectTypeOf(redis.get("k", { schema: byValibot })).toEqualTypeOf<Promise<User | null>>();
  expectTypeOf(redis.lrange("l", 0, -1, { schema: byValibot })).toEqualTypeOf<Promise<User[]>>();
});

describe("a read's type is what its schema gives", () => {
  const schema = own;

  test("single values may be null", () => {
    expectTypeOf(redis.get("k", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.getdel("k", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.getex("k", { ex: 1, schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.hget("h", "f", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.hgetall("h", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.hmget("h", "name", "age", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.hgetdel("h", "name", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.hgetex("h", { ex: 1, schema }, "name")).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.json.get("d", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.json.get("d", "$.a", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.lindex("l", 0, { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.lpop("l", { schema })).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.spop("s", { schema })).toEqualTypeOf<Promise<User | null>>();
  });

  test("list reads have the schema's type", () => {
    expectTypeOf(redis.mget("a", "b", { schema })).toEqualTypeOf<Promise<(User | null)[]>>();
    expectTypeOf(redis.mget(["a", "b"], { schema })).toEqualTypeOf<Promise<(User | null)[]>>();
    expectTypeOf(redis.json.mget(["a"], "$", { schema })).toEqualTypeOf<Promise<(User | null)[]>>();
    expectTypeOf(redis.lrange("l", 0, -1, { schema })).toEqualTypeOf<Promise<User[]>>();
    expectTypeOf(redis.lpop("l", 2, { schema })).toEqualTypeOf<Promise<User[] | null>>();
    expectTypeOf(redis.rpop("l", 2, { schema })).toEqualTypeOf<Promise<User[] | null>>();
    expectTypeOf(redis.hvals("h", { schema })).toEqualTypeOf<Promise<User[]>>();
    expectTypeOf(redis.smembers("s", { schema })).toEqualTypeOf<Promise<User[]>>();
    expectTypeOf(redis.srandmember("s", 2, { schema })).toEqualTypeOf<Promise<User[]>>();
  });

  test("batch results have the schema's type", () => {
    const chained = redis.multi().get("k", { schema }).incr("n").lrange("l", 0, 1, { schema });
    expectTypeOf(chained.exec()).resolves.toEqualTypeOf<[User | null, number, User[]]>();
  });
});

test("the output of a transforming schema is the type", () => {
  const schema = z.string().transform((text) => new Date(text));
  expectTypeOf(redis.get("k", { schema })).toEqualTypeOf<Promise<Date | null>>();
});

test("wrong shapes don't compile", () => {
  // @ts-expect-error no schema
  redis.get("k", { schema: { parse: (value: unknown) => value } });
  // @ts-expect-error the option's name is schema
  redis.get("k", { validate: own });
  // @ts-expect-error the schema comes in an object
  redis.lrange("l", 0, -1, own);
  // @ts-expect-error a write checks nothing
  redis.lpush<string>("l", { schema: own });
  // @ts-expect-error there may be none
  redis.get("k", { schema: own }) satisfies Promise<User>;
});

import { describe, expectTypeOf, test } from "vitest";
import { type Key, Redis, type ScoreMember, type SetCommandOptions } from "../../src/index.js";

interface User {
  name: string;
  age?: number;
}

type Fields = { name: string; nick?: string };

declare const redis: Redis;
declare const user: User;
declare const fields: Fields;
declare const later: Promise<User>;
declare const maybe: string | undefined;
declare const either: User | Promise<User>;
declare const anything: unknown;
declare const loose: any;

describe("values that can't be stored don't compile", () => {
  test("set refuses them", () => {
    // @ts-expect-error what may be undefined
    redis.set("k", maybe);
    // @ts-expect-error a promise
    redis.set("k", later);
    // @ts-expect-error what may be a promise
    redis.set("k", either);
    // @ts-expect-error a function
    redis.set("k", () => 1);
    // @ts-expect-error a class
    redis.set("k", Date);
    // @ts-expect-error a symbol
    redis.set("k", Symbol("s"));
    // @ts-expect-error a Map
    redis.set("k", new Map([["a", 1]]));
    // @ts-expect-error a Set
    redis.set("k", new Set([1]), { ex: 60 });
    // @ts-expect-error a promise, with the type of its value named
    redis.set<User>("k", later);
    // @ts-expect-error a promise
    redis.pipeline().set("k", later);
  });

  test("other commands refuse them", () => {
    // @ts-expect-error a promise
    redis.lpush("l", later);
    // @ts-expect-error a promise
    redis.rpush("l", user, later);
    // @ts-expect-error a promise
    redis.sadd("s", later);
    // @ts-expect-error a promise
    redis.sismember("s", later);
    // @ts-expect-error a promise
    redis.hset("h", { user: later });
    // @ts-expect-error a promise
    redis.hset("h", "user", later);
    // @ts-expect-error a Map
    redis.mset({ a: new Map() });
    // @ts-expect-error a promise
    redis.setex("k", 60, later);
    // @ts-expect-error a promise
    redis.publish("c", later);
    // @ts-expect-error a promise
    redis.xadd("s", "*", { user: later });
    // @ts-expect-error a promise
    redis.zadd("z", { score: 1, member: later });
    // @ts-expect-error a promise
    redis.json.set("d", "$", later);
    // @ts-expect-error undefined
    redis.zscore("z", maybe);
  });
});

describe("values that can be stored compile", () => {
  test("as any JSON, text and bytes", () => {
    redis.set("k", user);
    redis.set("k", null);
    redis.set("k", maybe ?? null);
    redis.set("k", [user, 1, "a", true, null]);
    redis.set("k", new Date());
    redis.set("k", new Uint8Array(1));
    redis.set("k", 1n);
    redis.set("k", {});
    redis.set("k", anything);
    redis.set("k", loose);
    redis.set<User>("k", { name: "Ada" });
    redis.lpush("l", ...[user, user]);
    redis.hset("h", fields);
    redis.hset("h", { name: "Ada", age: 36 });
    redis.hset<unknown>("h", { name: "Ada", nick: undefined });
    redis.xadd("s", "*", { name: "Ada", age: 36, tags: ["a"] });
    redis.zadd("z", { score: 1, member: user }, { score: 2, member: user });
  });

  test("of the type of a caller's type parameter", () => {
    const store = async <T>(key: Key, value: T, members: T[], scored: ScoreMember<T>) => {
      await redis.set(key, value);
      await redis.set<T>(key, value, { ex: 60 });
      await redis.set(key, value, {} as SetCommandOptions);
      await redis.lpush(key, value, ...members);
      await redis.sadd(key, value);
      await redis.hset(key, { value });
      await redis.hset(key, "value", value);
      await redis.mset({ [String(key)]: value });
      await redis.zadd(key, scored);
      await redis.publish("c", value);
      await redis.pipeline().set(key, value).exec();
      return redis.getset(key, value);
    };
    const limited = <T extends object>(key: Key, value: T) => redis.set(key, value);
    const record = <T extends Record<string, unknown>>(key: Key, value: T) => redis.hset(key, value);
    class Store<T> {
      save(value: T) {
        return redis.set("k", { value });
      }
      saveIt(value: T) {
        return redis.set("k", value);
      }
    }
    expectTypeOf(store<User>).toBeFunction();
    expectTypeOf(limited).toBeFunction();
    expectTypeOf(record).toBeFunction();
    expectTypeOf(new Store<User>().saveIt(user)).toEqualTypeOf<Promise<"OK">>();
  });

  test("of any type with functions of the user's as codec", () => {
    const codec = { encode: String, decode: (): unknown => new Map() };
    new Redis({ codec }).set("k", new Map());
    redis.with({ codec }).set("k", new Map());
    const maps = { encode: String, decode: () => new Map<string, number>() };
    redis.with({ codec: maps }).hset("h", { a: new Map() });
    // @ts-expect-error the client's own codecs store text and bytes
    redis.with({ codec: "text" }).set("k", new Map());
    // @ts-expect-error the client's own codecs store text and bytes
    redis.with({ codec: maps }).with({ codec: "json" }).set("k", new Map());
  });
});

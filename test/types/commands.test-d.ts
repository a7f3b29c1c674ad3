import { describe, expectTypeOf, test } from "vitest";
import {
  type Key,
  type LPosOptions,
  type Pipeline,
  type Redis,
  Redis as RedisClass,
  type RedisOptions,
  type SetCommandOptions,
  type ZRangeCommandOptions,
} from "../../src/index.js";

interface User {
  name: string;
  age?: number;
  [key: string]: unknown;
}

/** An interface without an index signature. */
interface Profile {
  name: string;
  age: number;
}

declare const redis: Redis;
declare const pipeline: Pipeline;
declare const flag: boolean;

describe("values take the type that the caller gives", () => {
  test("strings take a type parameter", () => {
    expectTypeOf(redis.get("k")).toEqualTypeOf<Promise<unknown>>();
    expectTypeOf(redis.get<User>("k")).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.getdel<number>("k")).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.mget<[string, User | null]>("a", "b")).toEqualTypeOf<Promise<[string, User | null]>>();
    expectTypeOf(redis.mget(["a", "b"])).toEqualTypeOf<Promise<unknown[]>>();
    expectTypeOf(redis.mget<User>("a", "b")).toEqualTypeOf<Promise<(User | null)[]>>();
    expectTypeOf(redis.mget<User[]>("a", "b")).toEqualTypeOf<Promise<User[]>>();
    expectTypeOf(redis.mget<User>(["a", "b"])).toEqualTypeOf<Promise<(User | null)[]>>();
    const several = <T extends unknown[]>(key: string): Promise<T> => redis.mget<T>(key);
    const members = <T extends unknown[]>(key: string): Promise<T> => redis.smembers<T>(key);
    const ranked = <T>(key: string): Promise<T[]> => redis.zrange<T[]>(key, 0, 1, { rev: true });
    expectTypeOf({ several, members, ranked }).toBeObject();
    expectTypeOf(redis.json.mget<User>(["a", "b"], "$.u")).toEqualTypeOf<Promise<(User | null)[]>>();
    expectTypeOf(redis.set("k", 1)).toEqualTypeOf<Promise<"OK">>();
    expectTypeOf(redis.set("k", 1, { ex: 60 })).toEqualTypeOf<Promise<"OK">>();
    expectTypeOf(redis.set("k", 1, { px: 60, keepTtl: undefined })).toEqualTypeOf<Promise<"OK">>();
    expectTypeOf(redis.set("k", 1, { nx: true })).toEqualTypeOf<Promise<"OK" | null>>();
    expectTypeOf(redis.set("k", 1, { xx: true, ex: 60 })).toEqualTypeOf<Promise<"OK" | null>>();
    expectTypeOf(redis.set("k", 1, { nx: false })).toEqualTypeOf<Promise<"OK">>();
    expectTypeOf(redis.set("k", 1, { ifEq: 2 })).toEqualTypeOf<Promise<"OK" | null>>();
    expectTypeOf(redis.set("k", 1, { get: true })).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.set("k", 1, { get: true, nx: true })).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.set<User>("k", { name: "Ada" })).toEqualTypeOf<Promise<"OK">>();
    // If the type is named, or the options are in a variable, the compiler does not see which of them are set.
    expectTypeOf(redis.set<User>("k", { name: "Ada" }, { get: true })).toEqualTypeOf<
      Promise<User | "OK" | null>
    >();
    expectTypeOf(redis.set("k", 1, {} as SetCommandOptions)).toEqualTypeOf<Promise<number | "OK" | null>>();
    expectTypeOf(redis.lcs("a", "b")).toEqualTypeOf<Promise<string>>();
    expectTypeOf(redis.lcs("a", "b", { len: true })).toEqualTypeOf<Promise<number>>();
    expectTypeOf(redis.lcs("a", "b", { idx: true })).resolves.toHaveProperty("matches");
  });

  test("hashes take a type parameter", () => {
    expectTypeOf(redis.hgetall<User>("h")).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(redis.hgetall("h")).toEqualTypeOf<Promise<Record<string, unknown> | null>>();
    expectTypeOf(redis.hgetall<Profile>("h")).toEqualTypeOf<Promise<Profile | null>>();
    expectTypeOf(redis.hmget<Profile>("h", "name", "age")).toEqualTypeOf<Promise<Profile | null>>();
    expectTypeOf(redis.hmget("h", "a", "b")).toEqualTypeOf<Promise<Record<string, unknown> | null>>();
    expectTypeOf(redis.xrange<Profile>("s", "-", "+")).toEqualTypeOf<Promise<Record<string, Profile>>>();
    expectTypeOf(redis.hget<number>("h", "f")).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.hrandfield("h")).toEqualTypeOf<Promise<string | null>>();
    expectTypeOf(redis.hrandfield("h", 2)).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.hrandfield<User>("h", 2, true)).toEqualTypeOf<Promise<Partial<User>>>();
    expectTypeOf(redis.hrandfield("h", 2, false)).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.hrandfield<User>("h", 2, flag)).toEqualTypeOf<Promise<Partial<User> | string[]>>();
    expectTypeOf(redis.hvals<number>("h")).toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(redis.hvals<[string, number]>("h")).toEqualTypeOf<Promise<[string, number]>>();
    expectTypeOf(redis.hkeys("h")).toEqualTypeOf<Promise<string[]>>();
  });

  test("lists, sets and sorted sets take a type parameter", async () => {
    expectTypeOf(redis.lrange<User>("l", 0, -1)).toEqualTypeOf<Promise<User[]>>();
    expectTypeOf(redis.lrange("l", 0, -1)).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.lpop<string[]>("l", 2)).toEqualTypeOf<Promise<string[] | null>>();
    expectTypeOf(redis.smembers<number[]>("s")).toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(redis.smembers<number>("s")).toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(redis.smembers("s")).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.lpos("l", "a")).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.lpos<number>("l", "a", { rank: -1 })).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.lpos("l", "a", { count: 2 })).toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(redis.lpos<number[]>("l", "a", { count: 0 })).toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(redis.lpos("l", "a", {} as LPosOptions)).toEqualTypeOf<Promise<number | number[] | null>>();
    expectTypeOf(redis.zrange<[string, number]>("z", 0, -1, { withScores: true })).toEqualTypeOf<
      Promise<[string, number]>
    >();
    expectTypeOf(redis.zrange("z", 0, -1)).toEqualTypeOf<Promise<unknown[]>>();
    expectTypeOf(redis.zrange<string[]>("z", 0, -1)).toEqualTypeOf<Promise<string[]>>();
    const scored: (string | number)[] = await redis.zrange("z", 0, -1, { withScores: true });
    const ranked: string[] = await redis.zrange("z", 0, -1, { rev: true });
    expectTypeOf({ scored, ranked }).toEqualTypeOf<{ scored: (string | number)[]; ranked: string[] }>();
    expectTypeOf(redis.zrangebyscore("z", 0, 1, { withScores: true })).toEqualTypeOf<
      Promise<(string | number)[]>
    >();
    expectTypeOf(redis.zrandmember("z", 2, true)).toEqualTypeOf<Promise<(string | number)[]>>();
    expectTypeOf(redis.zpopmin<string>("z", 2)).toEqualTypeOf<Promise<(string | number)[]>>();
    const [member, score] = await redis.zpopmin<string>("z");
    expectTypeOf([member, score] as const).toEqualTypeOf<readonly [string, number]>();
    expectTypeOf(redis.zpopmin<string>("z")).resolves.toExtend<(string | number)[]>();
    expectTypeOf(redis.spop<string>("s")).toEqualTypeOf<Promise<string | null>>();
    expectTypeOf(redis.spop<string>("s", 2)).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.spop<string[]>("s", 2)).toEqualTypeOf<Promise<string[]>>();
    const popped: string[] | null = await redis.spop("s", 2);
    expectTypeOf(popped).toEqualTypeOf<string[]>();
    expectTypeOf(redis.srandmember<string>("s", 2)).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.lpop<string>("l", 2)).toEqualTypeOf<Promise<string[] | null>>();
    expectTypeOf(redis.vrandmember("v", 2)).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(redis.zrank("z", "m")).toEqualTypeOf<Promise<number | null>>();
    expectTypeOf(redis.zrank("z", "m", { withScore: true })).toEqualTypeOf<
      Promise<[number, number] | null>
    >();
    expectTypeOf(redis.zmscore("z", ["a"])).toEqualTypeOf<Promise<(number | null)[]>>();
  });

  test("replies with scores have numbers in their type, also where the type of members is named", () => {
    type Scored = Promise<(string | number)[]>;
    type Plain = Promise<string[]>;
    const withScores = true;
    expectTypeOf(redis.zrange<string[]>("z", 0, -1, { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrange<string[]>("z", 0, -1, { rev: true, withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(
      redis.zrange<string[]>("z", "-inf", 9, { byScore: true, withScores }),
    ).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrange<string[]>("z", 0, -1, { withScores: flag })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrange<string[]>("z", 0, -1, { withScores: false })).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zrange<string[]>("z", 0, -1, { rev: true })).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zrange<string[]>("z", 0, -1, {} as ZRangeCommandOptions)).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrangebyscore<string[]>("z", 0, 1, { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrangebyscore<string[]>("z", 0, 1)).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zrangebyscore("z", 0, 1, { withScores: flag })).toEqualTypeOf<
      Promise<string[] | (string | number)[]>
    >();
    expectTypeOf(redis.zrevrangebyscore<string[]>("z", 1, 0, { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrevrangebyscore<string[]>("z", 1, 0, { offset: 0, count: 1 })).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zrevrange<string[]>("z", 0, 1, { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrevrange<string[]>("z", 0, 1)).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zrandmember<string[]>("z", 2, true)).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrandmember<string[]>("z", 2, flag)).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zrandmember<string[]>("z", 2)).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zdiff<string[]>(1, "z", { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zdiff<string[]>(1, "z")).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zinter<string[]>(1, "z", { withScores, aggregate: "min" })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zinter<string[]>(1, "z", { aggregate: "min" })).toEqualTypeOf<Plain>();
    expectTypeOf(redis.zunion<string[]>(1, "z", { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(redis.zunion<string[]>(1, "z")).toEqualTypeOf<Plain>();
    expectTypeOf(redis.vlinks<string>("v", "e", true)).toEqualTypeOf<Promise<(string | number)[][] | null>>();
    expectTypeOf(redis.vlinks<string>("v", "e")).toEqualTypeOf<Promise<string[][] | null>>();
    const texts = redis.with({ codec: "text" });
    expectTypeOf(texts.zrange("z", 0, -1, { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(texts.zrange("z", 0, -1)).toEqualTypeOf<Plain>();
    expectTypeOf(texts.zunion(1, "z", { withScores })).toEqualTypeOf<Scored>();
    expectTypeOf(texts.zunion(1, "z")).toEqualTypeOf<Plain>();
  });

  test("keys may be spread, from a list of unknown length too", () => {
    const keys: string[] = [];
    expectTypeOf(redis.del(...keys)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(redis.exists("a", ...keys)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(redis.mget<User[]>(...keys)).toEqualTypeOf<Promise<User[]>>();
    expectTypeOf<Parameters<Redis["del"]>>().toEqualTypeOf<Key[]>();
  });

  test("the other groups are typed", () => {
    expectTypeOf(redis.xrange<{ a: number }>("s", "-", "+")).toEqualTypeOf<
      Promise<Record<string, { a: number }>>
    >();
    expectTypeOf(redis.xadd("s", "*", { a: 1 })).toEqualTypeOf<Promise<string>>();
    expectTypeOf(redis.xadd("s", "*", { a: 1 }, { nomkStream: true })).toEqualTypeOf<
      Promise<string | null>
    >();
    expectTypeOf(redis.xgroup("s", { type: "DESTROY", group: "g" })).toEqualTypeOf<Promise<0 | 1>>();
    expectTypeOf(redis.eval<[number], User>("return", ["k"], [1])).toEqualTypeOf<Promise<User>>();
    expectTypeOf(
      redis.argrep<User, { predicates: []; withValues: true }>("a", 0, 1, {
        predicates: [],
        withValues: true,
      }),
    ).toEqualTypeOf<Promise<[string, User][]>>();
    const around = { type: "FROMMEMBER", member: "a" } as const;
    const circle = { type: "BYRADIUS", radius: 1, radiusType: "KM" } as const;
    expectTypeOf(redis.geosearch<string>("g", around, circle, "ASC")).resolves.items.toHaveProperty("member");
  });
});

describe("a codec decides the type of stored values", () => {
  test("with() gives a client of the codec's type", () => {
    const bytes = redis.with({ codec: "bytes" });
    expectTypeOf(bytes).toEqualTypeOf<Redis<Uint8Array>>();
    expectTypeOf(bytes.get("k")).toEqualTypeOf<Promise<Uint8Array | null>>();
    expectTypeOf(bytes.lrange("l", 0, -1)).toEqualTypeOf<Promise<Uint8Array[]>>();
    expectTypeOf(bytes.hgetall("h")).toEqualTypeOf<Promise<Record<string, Uint8Array> | null>>();
    expectTypeOf(bytes.smembers("s")).toEqualTypeOf<Promise<Uint8Array[]>>();
    expectTypeOf(bytes.set("k", "v", { get: true })).toEqualTypeOf<Promise<Uint8Array | null>>();
    expectTypeOf(bytes.zpopmin("z", 2)).toEqualTypeOf<Promise<(Uint8Array | number)[]>>();
    expectTypeOf(bytes.hkeys("h")).toEqualTypeOf<Promise<string[]>>();
    expectTypeOf(bytes.pipeline().get("k").incr("n").exec()).resolves.toEqualTypeOf<
      [Uint8Array | null, number]
    >();
    expectTypeOf(bytes.with({ timeout: 5 }).get("k")).toEqualTypeOf<Promise<Uint8Array | null>>();
    expectTypeOf(bytes.with({ codec: "json" }).get("k")).toEqualTypeOf<Promise<unknown>>();
    expectTypeOf(redis.with({ codec: "text" }).get("k")).toEqualTypeOf<Promise<string | null>>();
    const dates = { encode: String, decode: (stored: Uint8Array) => new Date(String(stored)) };
    expectTypeOf(redis.with({ codec: dates }).get("k")).toEqualTypeOf<Promise<Date | null>>();
    expectTypeOf(redis.with({ timeout: 5 })).toEqualTypeOf<Redis>();
  });

  test("the constructor gives a client of the codec's type", () => {
    expectTypeOf(new RedisClass({ codec: "bytes" }).get("k")).toEqualTypeOf<Promise<Uint8Array | null>>();
    expectTypeOf(RedisClass.fromEnv({ codec: "text" }).get("k")).toEqualTypeOf<Promise<string | null>>();
  });

  test("a class of one's own keeps its methods", () => {
    class Store extends RedisClass {
      constructor(options: RedisOptions) {
        super(options);
      }
      user(id: string) {
        return this.get<User>(id);
      }
      image(id: string) {
        return this.with({ codec: "bytes" }).get(id);
      }
    }
    const store = new Store({});
    expectTypeOf(store.with({ codec: "bytes" }).user("1")).toEqualTypeOf<Promise<User | null>>();
    expectTypeOf(store.with({ codec: "bytes" }).get("1")).toEqualTypeOf<Promise<Uint8Array | null>>();
    expectTypeOf(store.image("1")).toEqualTypeOf<Promise<Uint8Array | null>>();
    expectTypeOf(store).toExtend<Redis>();
  });
});

test("members may be spread after the first, and bounds are those of the options", () => {
  const members = [{ score: 1, member: "a" }];
  redis.zadd("z", members[0]!, ...members);
  redis.zadd<string>("z", members[0]!, ...members);
  redis.zadd("z", { nx: true }, members[0]!, ...members);
  redis.zadd<string>("z", { nx: true, ch: true }, { score: 1, member: "a" });
  expectTypeOf(redis.zrange<string[]>("z", "[a", "+", { byLex: true })).toEqualTypeOf<Promise<string[]>>();
  expectTypeOf(redis.zrange<string[]>("z", "(1", 5, { byScore: true, offset: 0, count: 5 })).toEqualTypeOf<
    Promise<string[]>
  >();
  expectTypeOf(redis.zrange("z", 0, 1, {} as ZRangeCommandOptions)).toEqualTypeOf<Promise<unknown[]>>();
  expectTypeOf(redis.zrangestore("d", "z", "(1", "+inf", { byScore: true })).toEqualTypeOf<Promise<number>>();
  // @ts-expect-error a rank is a number
  redis.zrange("z", "(1", 5, { rev: true });
  // @ts-expect-error a rank is a number
  redis.zrange("z", "(1", 5);
  // @ts-expect-error a name begins with [ or (
  redis.zrange("z", 0, 5, { byLex: true });
});

test("wrong shapes don't compile", () => {
  // @ts-expect-error keys are missing
  redis.unlink();
  // @ts-expect-error keys are missing
  redis.touch();
  // @ts-expect-error keys are missing
  redis.mget();
  // @ts-expect-error a key is missing
  redis.get();
  // @ts-expect-error the value is missing
  redis.set("k");
  // @ts-expect-error a field without a value
  redis.hset("h", "f");
  // @ts-expect-error not a side
  redis.lmove("a", "b", "top", "left");
  // @ts-expect-error scores are numbers
  redis.zadd("z", { score: "1", member: "m" });
  // @ts-expect-error no member at all
  redis.zadd("z", { nx: true });
  // @ts-expect-error a limit is an offset and a count
  redis.zrange("z", 0, 1, { offset: 1 });
  // @ts-expect-error not a direction
  redis.linsert("l", "beside", 1, 2);
  // @ts-expect-error not an expire option
  redis.expire("k", 1, "IF");
  // @ts-expect-error a cursor is missing
  redis.scan();
  // @ts-expect-error NOT takes one key
  redis.bitop("not", "d", "a", "b");
  // @ts-expect-error a bit is 0 or 1
  redis.setbit("k", 1, 2);
  // @ts-expect-error a limit of "=" trimming
  redis.xadd("s", "*", {}, { trim: { type: "MAXLEN", threshold: 1, comparison: "=", limit: 1 } });
  // @ts-expect-error one key and several ids
  redis.xread("s", ["0", "1"]);
  // @ts-expect-error a shape needs a unit
  redis.geosearch("g", { type: "FROMMEMBER", member: 1 }, { type: "BYRADIUS", radius: 1 }, "ASC");
  // @ts-expect-error unknown command
  redis.gett("k");
  // @ts-expect-error wrong shapes don't compile on pipelines either
  pipeline.set("k");
});

import { describe, expectTypeOf, test } from "vitest";
import {
  ArgumentError,
  type CallOptions,
  ConfigError,
  ConnectionError,
  type Outcome,
  ProtocolError,
  Redis,
  RedisError,
  type RedisOptions,
  SchemaError,
  type Script,
  TimeoutError,
  UnknownOutcomeError,
  WarmlineError,
} from "../../src/index.js";

interface User {
  name: string;
}

declare const redis: Redis;

describe("making a client", () => {
  test("a client is created from options or from the environment", () => {
    expectTypeOf(new Redis({ url: "https://x", token: "t" })).toEqualTypeOf<Redis>();
    expectTypeOf(new Redis({ url: process.env.U, token: process.env.T })).toEqualTypeOf<Redis>();
    expectTypeOf(Redis.fromEnv()).toEqualTypeOf<Redis>();
    expectTypeOf(Redis.fromEnv({ timeout: 500, retry: { retries: 1 } })).toEqualTypeOf<Redis>();
    expectTypeOf(Redis.fromEnv).parameter(0).not.toHaveProperty("url");
  });
});

describe("what is not a command", () => {
  test("with() returns a client with the same methods", () => {
    expectTypeOf(redis.with({ timeout: 100 })).toEqualTypeOf<Redis>();
    expectTypeOf(redis.with({ deadline: { remaining: () => 1 } }).get<User>("k")).toEqualTypeOf<
      Promise<User | null>
    >();
    expectTypeOf<Omit<RedisOptions, "near">>().toExtend<CallOptions>();
    // @ts-expect-error the endpoint is not for one call
    redis.with({ url: "https://x" });
    // @ts-expect-error an object without a method for the remaining time
    redis.with({ deadline: 100 });
  });

  test("exec sends any command", () => {
    expectTypeOf(redis.exec(["PING"])).toEqualTypeOf<Promise<unknown>>();
    expectTypeOf(redis.exec<User>(["GET", "k"])).toEqualTypeOf<Promise<User>>();
    // @ts-expect-error no command
    redis.exec([]);
    // @ts-expect-error its name is text
    redis.exec([1, "k"]);
  });

  test("scripts are typed", () => {
    expectTypeOf(redis.createScript("return 1")).toEqualTypeOf<Script<unknown>>();
    expectTypeOf(redis.createScript<number>("return 1", { readonly: true }).exec(["k"], [1])).toEqualTypeOf<
      Promise<number>
    >();
    // @ts-expect-error keys are names
    redis.createScript("return 1").exec([1]);
    const limit = redis.createScript<[number, number], true, [max: number, windowMs: number]>("...");
    expectTypeOf(limit.evalshaRo(["k"], [10, 1_000])).toEqualTypeOf<Promise<[number, number]>>();
    // @ts-expect-error its arguments are numbers
    limit.exec(["k"], ["10", 1_000]);
    // @ts-expect-error it has two
    limit.exec(["k"], [10]);
  });

  test("iterators are typed", async () => {
    for await (const key of redis.scanIterator({ match: "a*" })) expectTypeOf(key).toBeString();
    for await (const [field, value] of redis.hscanIterator<User>("h")) {
      expectTypeOf(field).toBeString();
      expectTypeOf(value).toEqualTypeOf<User>();
    }
    for await (const [member, score] of redis.zscanIterator<User>("z")) {
      expectTypeOf(member).toEqualTypeOf<User>();
      expectTypeOf(score).toBeNumber();
    }
    // @ts-expect-error a hash has no types of keys
    redis.hscanIterator("h", { type: "string" });
  });

  test("update returns the stored value", () => {
    expectTypeOf(redis.update<number>("k", (n) => (n ?? 0) + 1)).toEqualTypeOf<Promise<number | null>>();
    // @ts-expect-error another type than the one said
    redis.update<number>("k", () => "text");
  });
});

test("methods keep their types when detached", () => {
  const { get, hgetall, json, pipeline, multi } = redis;
  expectTypeOf(get<User>("k")).toEqualTypeOf<Promise<User | null>>();
  expectTypeOf(hgetall("h")).toEqualTypeOf<Promise<Record<string, unknown> | null>>();
  expectTypeOf(json.get<User>("d")).toEqualTypeOf<Promise<User | null>>();
  expectTypeOf(pipeline().incr("n").exec()).toEqualTypeOf<Promise<[number]>>();
  const { exec } = multi().get<User>("k");
  expectTypeOf(exec()).resolves.toEqualTypeOf<[User | null]>();
});

test("namespaces are typed", () => {
  expectTypeOf(redis.json.get<User[]>("d", "$")).toEqualTypeOf<Promise<User[] | null>>();
  expectTypeOf(redis.json.get<User>("d", { indent: " " }, "$")).toEqualTypeOf<Promise<User | null>>();
  expectTypeOf(redis.json.set("d", "$", { a: 1 }, { nx: true })).toEqualTypeOf<Promise<"OK" | null>>();
  expectTypeOf(redis.json.mget<User[][]>(["a", "b"], "$")).toEqualTypeOf<Promise<User[][]>>();
  expectTypeOf(redis.json.arrappend("d", "$.a", 1, "two")).toEqualTypeOf<Promise<(number | null)[]>>();
  expectTypeOf(redis.functions.call<number>("f", ["k"], [1])).toEqualTypeOf<Promise<number>>();
  expectTypeOf(redis.functions.load({ code: "x", replace: true })).toEqualTypeOf<Promise<string>>();
  // @ts-expect-error nx and xx exclude one another
  redis.json.set("d", "$", 1, { nx: true, xx: true });
  // @ts-expect-error the path is missing
  redis.json.mget(["a"]);
  // @ts-expect-error the code is missing
  redis.functions.load({ replace: true });
});

test("bitfield is typed", () => {
  const chain = redis.bitfield("k").overflow("SAT").set("u8", "#1", 255).incrby("u8", 8, 1);
  expectTypeOf(chain.get("i5", 100).exec()).toEqualTypeOf<Promise<number[]>>();
  // @ts-expect-error no such behaviour
  redis.bitfield("k").overflow("NONE");
  // @ts-expect-error a value is a number
  redis.bitfield("k").set("u8", 0, "1");
});

test("a value takes the type of its variable", async () => {
  const user: User | null = await redis.get("k");
  const fields: { a: string } | null = await redis.hgetall("h");
  const both: [string, number | null] = await redis.mget("a", "b");
  const members: string[] = await redis.zrange("z", 0, 1);
  // @ts-expect-error there may be none
  const sure: User = await redis.get("k");
  expectTypeOf({ user, fields, both, members, sure }).not.toBeAny();
});

describe("errors", () => {
  test("each error has an outcome, a command and an index", () => {
    const errors = [
      RedisError,
      ConnectionError,
      UnknownOutcomeError,
      TimeoutError,
      ProtocolError,
      ArgumentError,
      SchemaError,
      ConfigError,
    ];
    for (const kind of errors) {
      type Thrown = InstanceType<typeof kind>;
      expectTypeOf<Thrown>().toExtend<WarmlineError>();
    }
    expectTypeOf<WarmlineError>().toExtend<Error>();
    expectTypeOf<WarmlineError["outcome"]>().toEqualTypeOf<Outcome>();
    expectTypeOf<WarmlineError["index"]>().toEqualTypeOf<number | undefined>();
    expectTypeOf<WarmlineError["command"]>().toEqualTypeOf<string | undefined>();
  });

  test("instanceof narrows the error", () => {
    const thrown: unknown = undefined;
    if (thrown instanceof RedisError) expectTypeOf(thrown.code).toBeString();
    if (thrown instanceof SchemaError) expectTypeOf(thrown.issues).items.toHaveProperty("message");
    if (thrown instanceof WarmlineError) expectTypeOf(thrown.outcome).toEqualTypeOf<Outcome>();
    // @ts-expect-error an outcome is one of three
    const outcome: "lost" = new RedisError("ERR", {}).outcome;
    outcome satisfies string;
  });
});

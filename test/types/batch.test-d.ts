import { describe, expectTypeOf, test } from "vitest";
import type { CommandResult, Pipeline, Redis } from "../../src/index.js";

interface User {
  name: string;
  age?: number;
}

interface Settings extends Record<string, unknown> {
  theme: string;
}

declare const redis: Redis;

describe.each(["pipeline", "multi"] as const)("%s", (batch) => {
  test("ten commands with type parameters are a tuple of ten types, in order", () => {
    const chained = redis[batch]()
      .get<User>("a")
      .hgetall<Settings>("h")
      .mget<[string, number | null]>("a", "b")
      .lrange<User>("l", 0, -1)
      .smembers<number[]>("s")
      .zrange<string[]>("z", 0, -1)
      .eval<[string], Date>("return 1", ["k"], ["x"])
      .xrange<Settings>("st", "-", "+")
      .hrandfield<Settings>("h", 2, true)
      .getdel<boolean>("a");
    expectTypeOf(chained.length()).toBeNumber();
    expectTypeOf(chained.exec()).resolves.toEqualTypeOf<
      [
        User | null,
        Settings | null,
        [string, number | null],
        User[],
        number[],
        string[],
        Date,
        Record<string, Settings>,
        Partial<Settings>,
        boolean | null,
      ]
    >();
  });

  test("an empty batch, and one filled in a loop, return an array of unknown", () => {
    const filled = redis[batch]();
    for (const key of ["a", "b"]) filled.incr(key);
    expectTypeOf(filled.exec()).resolves.toEqualTypeOf<unknown[]>();
  });

  test("exec takes the types of all results", () => {
    const filled = redis[batch]();
    expectTypeOf(filled.exec<[number, User | null]>()).resolves.toEqualTypeOf<[number, User | null]>();
    expectTypeOf(filled.exec<User[]>()).resolves.toEqualTypeOf<User[]>();
    const chained = redis[batch]().incr("n").get("u");
    expectTypeOf(chained.exec<[number, User]>()).resolves.toEqualTypeOf<[number, User]>();
    // @ts-expect-error the results are an array
    filled.exec<User>();
  });

  test("keepErrors returns a result or an error for each command", () => {
    const chained = redis[batch]().incr("n").get<User>("u");
    expectTypeOf(chained.exec({ keepErrors: true })).resolves.toEqualTypeOf<
      [CommandResult<number>, CommandResult<User | null>]
    >();
    const filled = redis[batch]();
    expectTypeOf(filled.exec({ keepErrors: true })).resolves.toEqualTypeOf<CommandResult<unknown>[]>();
    expectTypeOf(filled.exec<[string, number]>({ keepErrors: true })).resolves.toEqualTypeOf<
      [CommandResult<string>, CommandResult<number>]
    >();
    // @ts-expect-error leave it out instead
    filled.exec({ keepErrors: false });
  });

  test("namespaces and builders return the pipeline", () => {
    const chained = redis[batch]()
      .json.set("d", "$", { a: 1 })
      .json.get<User[]>("d", "$")
      .functions.call<number>("f", ["k"])
      .bitfield("b")
      .get("u8", 0)
      .incrby("u8", 8, 1)
      .exec()
      .get<string>("k");
    expectTypeOf(chained.exec()).resolves.toEqualTypeOf<
      ["OK" | null, User[] | null, number, number[], string | null]
    >();
  });

  test("wrong shapes don't compile", async () => {
    const filled = redis[batch]();
    // @ts-expect-error the value is missing
    filled.set("k");
    // @ts-expect-error a field without a value
    filled.hset("h", "f");
    // @ts-expect-error two times to live
    filled.getex("k", { ex: 1, px: 1 });
    // @ts-expect-error a path is text
    filled.json.get("d", 1);
    // @ts-expect-error a batch can't begin another one
    filled.pipeline();
    // @ts-expect-error a batch does not wait: only the client has iterators
    filled.scanIterator();
    const two = await redis[batch]().incr("a").get<string>("b").exec();
    // @ts-expect-error there are two results
    two[2];
    // @ts-expect-error the first is a number
    two[0] satisfies string;
  });
});

test("a helper may take a pipeline and return one with the types of its results", () => {
  const fill = (pipeline: Pipeline) => pipeline.incr("n");
  expectTypeOf(fill(redis.pipeline()).exec()).resolves.toEqualTypeOf<[number]>();
});

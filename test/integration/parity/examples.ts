import { Redis, type SetCommandOptions } from "@upstash/redis";

// Code as users of the reference client write it, in our own examples. Most use several methods: samples.test.ts has calls of
// single ones. The suite runs this file unchanged, and again with nothing but the import above changed.

interface User extends Record<string, unknown> {
  name: string;
  age?: number;
}

export interface Example {
  readonly name: string;
  /** Runs on an empty database. Its result leaves out parts that differ from run to run, such as ids. */
  readonly run: (redis: Redis) => Promise<unknown>;
}

/** A client as the README makes one. */
export function connect(url: string, token: string): Redis {
  return new Redis({ url, token });
}

/** A client with every option there is. */
export function connectWithOptions(url: string, token: string): Redis {
  return new Redis({
    url,
    token,
    agent: undefined,
    automaticDeserialization: true,
    cache: "no-store",
    enableAutoPipelining: true,
    enableTelemetry: false,
    keepAlive: true,
    latencyLogging: false,
    readYourWrites: true,
    responseEncoding: "base64",
    retry: { retries: 2, backoff: (count) => count * 10 },
    signal: () => AbortSignal.timeout(5000),
  });
}

/** A client from the environment. */
export function connectFromEnv(): Redis {
  return Redis.fromEnv();
}

const strings: Example[] = [
  {
    name: "first steps: one value of each type",
    run: async (redis) => {
      const given: unknown[] = [];
      await redis.set("greeting", "hello");
      given.push(await redis.get("greeting"));
      given.push(await redis.set("session", "s1", { ex: 60 }));
      await redis.zadd("ranking", { score: 3, member: "red" });
      given.push(await redis.zrange("ranking", 0, 100));
      await redis.lpush("tasks", "sweep");
      given.push(await redis.lrange("tasks", 0, 100));
      await redis.hset("person", { name: "Grace" });
      given.push(await redis.hget("person", "name"));
      await redis.sadd("pets", "dog");
      given.push(await redis.spop("pets", 1));
      return given;
    },
  },
  {
    name: "set and get objects, arrays, numbers, booleans and text",
    run: async (redis) => {
      const user: User = { name: "Ada", age: 36, tags: ["x", "é", "😀"], address: { zip: "00123" } };
      await redis.set<User>("user", user);
      await redis.set("list", [1, "two", { three: 3 }]);
      await redis.set("number", 42.5);
      await redis.set("flag", true);
      await redis.set("text", "a line\nand another");
      await redis.set("digits", "12");
      const read = await redis.get<User>("user");
      return [
        read?.name,
        read,
        await redis.get("list"),
        await redis.get<number>("number"),
        await redis.get<boolean>("flag"),
        await redis.get<string>("text"),
        await redis.get("digits"),
        await redis.get("none"),
      ];
    },
  },
  {
    name: "several keys at once",
    run: async (redis) => [
      await redis.mset({ "k:1": { name: "Ada" }, "k:2": "text", "k:3": 3 }),
      await redis.mget<[User, string, number]>("k:1", "k:2", "k:3"),
      await redis.mget(["k:3", "none"]),
      await redis.msetnx({ "k:3": 0, "k:4": 4 }),
      await redis.msetnx({ "k:4": 4 }),
      await redis.exists("k:1", "k:4", "none"),
      await redis.del("k:1", "none"),
      await redis.unlink("k:2", "k:3"),
    ],
  },
];

const hashes: Example[] = [
  {
    name: "hashes as objects",
    run: async (redis) => [
      await redis.hset("user", { name: "Ada", age: 36, address: { city: "London" }, active: true }),
      await redis.hget<string>("user", "name"),
      await redis.hget<{ city: string }>("user", "address"),
      await redis.hgetall<User>("user"),
      await redis.hgetall("none"),
      await redis.hmget<User>("user", "name", "email"),
      await redis.hmget("user", "no", "such"),
      await redis.hmset("user", { name: "Grace" }),
      await redis.hexists("user", "name"),
      await redis.hlen("user"),
      (await redis.hkeys("user")).sort(),
      await redis.hstrlen("user", "name"),
      await redis.hsetnx("user", "name", "Zoë"),
      await redis.hsetnx("user", "email", "g@example.com"),
      await redis.hdel("user", "email", "age", "no"),
      await redis.hvals("user"),
    ],
  },
];

const streams: Example[] = [
  {
    name: "streams",
    run: async (redis) => [
      await redis.xadd("s", "1-0", { name: "Ada", visits: 1 }),
      await redis.xadd("s", "2-0", { name: "Grace", data: { deep: true } }),
      await redis.xadd(
        "s",
        "3-*",
        { name: "Zoë" },
        { trim: { type: "MAXLEN", threshold: 10, comparison: "~" } },
      ),
      await redis.xlen("s"),
      await redis.xrange("s", "-", "+"),
      await redis.xrange("s", "2-0", "+", 1),
      Object.keys(await redis.xrevrange("s", "+", "-", 2)),
      await redis.xread("s", "1-0", { count: 1 }),
      await redis.xread(["s", "none"], ["2-0", "0"]),
      await redis.xdel("s", "1-0"),
      await redis.xrange("none", "-", "+"),
    ],
  },
  {
    name: "consumer groups",
    run: async (redis) => {
      const created: unknown = await redis.xgroup("s", {
        type: "CREATE",
        group: "g",
        id: "$",
        options: { MKSTREAM: true },
      });
      await redis.xadd("s", "1-0", { job: 1 });
      await redis.xadd("s", "2-0", { job: 2 });
      const read = await redis.xreadgroup("g", "c", "s", ">", { count: 2 });
      const pending = (await redis.xpending("s", "g", "-", "+", 10)) as unknown[][];
      return [
        created,
        read,
        pending.map(([id, consumer, , times]) => [id, consumer, times]),
        await redis.xclaim("s", "g", "d", 0, ["1-0"]),
        await redis.xautoclaim("s", "g", "d", 0, "2-0", { count: 1 }),
        await redis.xack("s", "g", ["1-0"]),
        await redis.xack("s", "g", "2-0"),
        ((await redis.xinfo("s", { type: "GROUPS" })) as unknown[][]).map((group) => group.slice(0, 2)),
        (await redis.xgroup("s", { type: "DESTROY", group: "g" })) as unknown,
      ];
    },
  },
];

const scripts: Example[] = [
  {
    name: "scripts",
    run: async (redis) => {
      const sha1 = await redis.scriptLoad("return ARGV[1]");
      return [
        await redis.eval("return {KEYS[1], ARGV[1], 3}", ["k"], ["v"]),
        await redis.eval<[string], { a: number }>("return ARGV[1]", [], ['{"a":1}']),
        await redis.eval("return redis.call('SET', KEYS[1], ARGV[1])", ["k"], ["stored"]),
        await redis.evalRo("return redis.call('GET', KEYS[1])", ["k"], []),
        await redis.evalsha(sha1, [], ["by digest"]),
        await redis.evalshaRo(sha1, [], ["by digest, reading"]),
        await redis.scriptExists(sha1, "0".repeat(40)),
        await redis.scriptFlush({ sync: true }),
        await redis.scriptExists(sha1),
      ];
    },
  },
  {
    name: "scripts that know their digest",
    run: async (redis) => {
      const script = redis.createScript<string>("return ARGV[1]");
      const reading = redis.createScript<string, true>("return redis.call('GET', KEYS[1])", {
        readonly: true,
      });
      await redis.set("k", "v");
      return [
        await script.exec([], ["before it was loaded"]),
        await script.exec([], ["after"]),
        await script.evalsha([], ["by digest"]),
        await script.eval([], ["by text"]),
        await reading.exec(["k"], []),
        await reading.evalRo(["k"], []),
        await reading.evalshaRo(["k"], []),
        script.sha1,
      ];
    },
  },
  {
    name: "functions",
    run: async (redis) => {
      const code =
        "#!lua name=lib\nredis.register_function{function_name='give', callback=function(keys, args) return args[1] end, flags={'no-writes'}}";
      return [
        await redis.functions.load({ code, replace: true }),
        await redis.functions.call<string>("give", [], ["it"]),
        await redis.functions.callRo<string>("give", [], ["it again"]),
        (await redis.functions.list({ libraryName: "lib" })).map(({ libraryName, functions }) => [
          libraryName,
          functions.map(({ name, flags }) => [name, flags]),
        ]),
        await redis.functions.stats(),
        await redis.functions.delete("lib"),
        await redis.functions.flush(),
      ];
    },
  },
];

const batches: Example[] = [
  {
    name: "a pipeline, chained",
    run: async (redis) => {
      const results = await redis
        .pipeline()
        .set("user", { name: "Ada" })
        .get<User>("user")
        .incr("n")
        .hset("h", { a: 1 })
        .hgetall<{ a: number }>("h")
        .lrange("none", 0, -1)
        .exec();
      const [, user, count] = results;
      return [results, user?.name, count + 1];
    },
  },
  {
    name: "a pipeline, filled one by one",
    run: async (redis) => {
      const pipeline = redis.pipeline();
      for (let i = 0; i < 3; i++) pipeline.rpush("l", { i });
      pipeline.llen("l");
      const length = pipeline.length();
      return [length, await pipeline.exec<[number, number, number, number]>()];
    },
  },
  {
    name: "a pipeline that keeps errors",
    run: async (redis) => {
      const results = await redis
        .pipeline()
        .set("text", "x")
        .incr("text")
        .get("text")
        .exec({ keepErrors: true });
      return results.map(({ result, error }) => (error ? "failed" : result));
    },
  },
  {
    name: "a pipeline with an error rejects, and runs the rest",
    run: async (redis) => {
      const outcome = await redis
        .pipeline()
        .set("text", "x")
        .incr("text")
        .set("after", 1)
        .exec()
        .catch((error) => [error instanceof Error, /not an integer/.test(error.message)]);
      return [outcome, await redis.get("after")];
    },
  },
  {
    name: "bitfield and functions inside a pipeline",
    run: (redis) =>
      redis
        .pipeline()
        .set("k", "v")
        .bitfield("b")
        .set("u4", 0, 9)
        .incrby("u4", "#1", 1)
        .exec()
        .get("k")
        .exec(),
  },
  {
    name: "a transaction",
    run: async (redis) => {
      await redis.set("stock", 5);
      const results = await redis.multi().decr("stock").rpush("orders", { id: 1 }).get("stock").exec();
      const filled = redis.multi();
      filled.set("a", 1);
      filled.get("a");
      return [results, await filled.exec<["OK", number]>()];
    },
  },
  {
    name: "commands issued together",
    run: async (redis) => {
      await Promise.all([redis.set("a", 1), redis.set("b", { v: 2 }), redis.hset("h", { f: "x" })]);
      const [a, b, h, none] = await Promise.all([
        redis.get<number>("a"),
        redis.get<{ v: number }>("b"),
        redis.hgetall("h"),
        redis.get("none"),
      ]);
      const [good, bad] = await Promise.allSettled([redis.incr("a"), redis.incr("h")]);
      return [a, b, h, none, good.status, bad.status];
    },
  },
];

export const examples: Example[] = [...strings, ...hashes, ...streams, ...scripts, ...batches];

/** Types as users of the reference write them. It is compiled with either client, and not run. */
export async function typed(redis: Redis, keys: string[], opts?: SetCommandOptions): Promise<unknown[]> {
  const set: "OK" | User | null = await redis.set<User>("k", { name: "Ada" }, { nx: true, ex: 60 });
  const kept: unknown = await redis.set("k", 1, opts);
  const ttl: number | undefined = opts?.ex;
  const removed: number = await redis.del(...keys);
  const found: number = await redis.exists("a", ...keys);
  const several = await redis.mget<(User | null)[]>(...keys);
  const user: User | null = await redis.hgetall("u");
  const some: User | null = await redis.hmget<User>("u", "name", "email");
  const popped: string[] | null = await redis.spop<string[]>("s", 2);
  const first: string | null = await redis.lpop("l");
  const firstTwo: string[] | null = await redis.lpop<string[]>("l", 2);
  const members: string[] = await redis.zrange("z", 0, -1);
  const ranked: (string | number)[] = await redis.zrange("z", 0, -1, { rev: true, withScores: true });
  const named = await redis.zrange<string[]>("z", "[a", "+", { byLex: true, offset: 0, count: 5 });
  const lowest: (string | number)[] = await redis.zpopmin<string | number>("z", 2);
  const [cursor, page] = await redis.scan(0, { match: "a*", count: 10 });
  const added = await redis.zadd<string>("z", { nx: true }, { score: 1, member: "a" });
  const streams = (await redis.xread("s", "0")) as [string, [string, string[]][]][];
  const script = await redis.eval<[string], number>("return 1", ["k"], ["x"]);
  const batch = await redis.pipeline().set<number>("n", 1).get<number>("n").exec<["OK", number | null]>();
  const values: object = { set, kept, ttl, removed, found, several, user, some, popped, first, firstTwo };
  return [values, members, ranked, named, lowest, cursor, page, added, streams, script, batch];
}

import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions, WarmlineError } from "warmline";
import { commands } from "../../support/commands.js";
import { sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";

// Additions of the client to the commands: iterators, scripts, optimistic updates, detached methods.

describeEngines("conveniences", ({ start }) => {
  const client = (options: RedisOptions = {}) =>
    new Redis({ url: gateway.url, token: gateway.token, ...options });
  const gateway = sharedByTests(() => start());
  const redis = sharedByTests(async () => client());
  beforeEach(() => redis.flushall());

  async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
    const all: T[] = [];
    for await (const item of items) all.push(item);
    return all;
  }

  describe("iterators", () => {
    test("scanIterator returns every matching key as text", async () => {
      const names = Array.from({ length: 250 }, (_, i) => String(i));
      await redis.mset(Object.fromEntries([...names.map((name) => [name, 1]), ["other", 1]]));
      const found = await collect(redis.scanIterator({ match: "[0-9]*", count: 20 }));
      expect([...new Set(found)].sort()).toEqual(names.sort());
    });

    test("the iterators of a hash, a set and a sorted set return every element", async () => {
      await redis.hset("h", { "1": { a: 1 }, b: "text" });
      await redis.sadd<unknown>("s", 1, "two");
      await redis.zadd("z", { score: 1.5, member: "a" }, { score: 2, member: "b" });
      expect(new Map(await collect(redis.hscanIterator("h")))).toEqual(
        new Map<string, unknown>([
          ["1", { a: 1 }],
          ["b", "text"],
        ]),
      );
      expect(new Set(await collect(redis.sscanIterator("s")))).toEqual(new Set([1, "two"]));
      expect(await collect(redis.zscanIterator("z"))).toEqual([
        ["a", 1.5],
        ["b", 2],
      ]);
    });
  });

  describe("scripts", () => {
    test("a script is called by its digest, and sent as text if the server lacks it", async () => {
      const script = redis.createScript<number>("return redis.call('INCRBY', KEYS[1], ARGV[1])");
      await expect(script.evalsha(["n"], [1])).rejects.toMatchObject({ code: "NOSCRIPT" });
      expect(script.sha1).toMatch(/^[0-9a-f]{40}$/);
      expect(await script.exec(["n"], [2])).toBe(2);
      expect(await script.evalsha(["n"], [3])).toBe(5);
      expect(await script.eval(["n"], [4])).toBe(9);
    });

    test("a read-only script runs by EVALSHA_RO", async () => {
      await redis.set("k", { a: 1 });
      const script = redis.createScript<{ a: number }>("return redis.call('GET', KEYS[1])", {
        readonly: true,
      });
      expect(await script.exec(["k"])).toEqual({ a: 1 });
      const writes = redis.createScript("return redis.call('SET', KEYS[1], 1)", { readonly: true });
      await expect(writes.exec(["k"])).rejects.toBeInstanceOf(WarmlineError);
    });
  });

  describe("update", () => {
    test("update changes a value and keeps its time to live", async () => {
      await redis.set("user", { name: "Ada", visits: 1 }, { ex: 100 });
      const updated = await redis.update<{ name: string; visits: number }>(
        "user",
        (user) => user && { ...user, visits: user.visits + 1 },
      );
      expect(updated).toEqual({ name: "Ada", visits: 2 });
      expect(await redis.get("user")).toEqual(updated);
      expect(await redis.ttl("user")).toBeGreaterThan(90);
    });

    test("update is refused in a scope, since a repeat would apply it again", async () => {
      const scoped = redis.with({ writes: "exactly-once", scope: "event" });
      await expect(scoped.update<number>("n", (n) => (n ?? 0) + 1)).rejects.toMatchObject({
        name: "ConfigError",
        message: expect.stringMatching(/^update can't be run exactly once in a scope; use /),
      });
      expect(await scoped.with({ writes: "at-most-once" }).update("n", () => 1)).toBe(1);
    });

    test("update creates, deletes, and keeps a value", async () => {
      expect(await redis.update("n", (n) => n ?? 1)).toBe(1);
      expect(await redis.update("n", () => undefined)).toBe(1);
      for (const attempts of [0, -1, Number.NaN]) {
        await expect(redis.update("n", () => 2, { attempts })).rejects.toMatchObject({
          name: "ArgumentError",
          message: "update: attempts must be 1 or more",
        });
      }
      expect(await redis.update("n", () => null)).toBe(null);
      expect(await redis.exists("n")).toBe(0);
      await redis.with({ codec: "bytes" }).set("b", new Uint8Array([0, 255]));
      const bytes = redis.with({ codec: "bytes" });
      await bytes.update<Uint8Array>("b", (b) => b && Uint8Array.from([...b, 7]));
      expect(await bytes.get("b")).toEqual(new Uint8Array([0, 255, 7]));
    });

    test("update refuses a value that is not UTF-8, and leaves it as it is", async () => {
      const stored = new Uint8Array([0x61, 0xff, 0x62]);
      const bytes = redis.with({ codec: "bytes" });
      await bytes.set("b", stored);
      for (const codec of ["json", "text"] as const) {
        let calls = 0;
        const change = (text: unknown) => {
          calls++;
          return `${text}!`;
        };
        await expect(redis.with({ codec }).update("b", change)).rejects.toMatchObject({
          name: "ArgumentError",
          outcome: "unsent",
          message: 'update: the value is not UTF-8: codec must be "bytes"',
        });
        expect(calls).toBe(0);
      }
      expect(await bytes.get("b")).toEqual(stored);
    });

    test("concurrent updates are all applied", async () => {
      const add = () => redis.update<number>("n", (n) => (n ?? 0) + 1, { attempts: 100 });
      await Promise.all(Array.from({ length: 20 }, add));
      expect(await redis.get("n")).toBe(20);
    });

    test("update rejects after its last attempt", async () => {
      const late = redis.update<number>("n", async (n) => {
        await redis.incr("n");
        return (n ?? 0) + 100;
      });
      await expect(late).rejects.toThrow(/changed the key 10 times/);
      expect(await redis.get("n")).toBe(10);
    });
  });

  describe("methods", () => {
    test("a subclass can call the methods that it overrides, and keeps its fields in with()", async () => {
      class Prefixed extends Redis {
        prefix = "app:";
        override get<T>(key: string) {
          return super.get<T>(this.prefix + key);
        }
        override pipeline() {
          return super.pipeline().set(`${this.prefix}n`, 1) as unknown as ReturnType<Redis["pipeline"]>;
        }
      }
      const mine = new Prefixed({ url: gateway.url, token: gateway.token });
      expect(await mine.pipeline().incr("app:n").exec()).toEqual(["OK", 2]);
      expect(await mine.get("n")).toBe(2);
      const text = mine.with({ codec: "text" });
      expect(await text.get("n")).toBe("2");
      expect(text.prefix).toBe("app:");
      mine.prefix = "other:";
      expect(await mine.with({ timeout: 5_000 }).with({ codec: "text" }).get("n")).toBe(null);
      const proxy = new Proxy(mine, {});
      expect(proxy.with({ timeout: 5_000 }).prefix).toBe("other:");
      // A detached `with` still returns a client, even as a method of another object.
      const elsewhere = { with: mine.with, prefix: "not this" } as unknown as Prefixed;
      expect(elsewhere.with({ codec: "text" }).prefix).toBe(undefined);
    });

    test("a transaction that Redis discards names the refused command, and applies none", async () => {
      const discarded = redis.multi().set("a", 1).hset("h", {}).incr("n").exec();
      await expect(discarded).rejects.toMatchObject({
        name: "RedisError",
        code: "EXECABORT",
        command: "HSET",
        index: 1,
        message: expect.stringContaining("wrong number of arguments"),
      });
      expect(await redis.exists("a", "h", "n")).toBe(0);
    });

    test("an error has an index in a pipeline, but not in a request that the client put together", async () => {
      await redis.rpush("list", 1);
      const wrongType = (index: number | undefined) => ({ code: "WRONGTYPE", command: "INCR", index });
      const results = await Promise.allSettled([redis.get("none"), redis.incr("list")]);
      expect(results[1]).toMatchObject({ reason: wrongType(undefined) });
      await expect(redis.pipeline().get("none").incr("list").exec()).rejects.toMatchObject(wrongType(1));
    });

    test("a pipeline's timeout includes the waits of its blocking commands", async () => {
      const hasty = redis.with({ timeout: 300 });
      await redis.rpush("jobs", "a");
      const popped = hasty.pipeline().blpop("none", 0.3).blpop("jobs", 1).blpop("none", 0.3).ping().exec();
      expect(await popped).toEqual([null, ["jobs", "a"], null, "PONG"]);
    });
  });

  describe("middleware", () => {
    test("middleware gets the call's timeout, signal and deadline", async () => {
      const mine = client();
      const signals: unknown[] = [];
      mine.use((request, next) => {
        signals.push(request.signal);
        return next(request);
      });
      const { signal } = new AbortController();
      expect(await mine.with({ signal }).ping()).toBe("PONG");
      expect(signals).toEqual([signal]);
      const reason = new Error("enough");
      await expect(mine.with({ signal: AbortSignal.abort(reason) }).incr("n")).rejects.toBe(reason);
      const controller = new AbortController();
      const popped = mine.with({ signal: controller.signal }).blpop("none", 5);
      setTimeout(() => controller.abort(reason), 50);
      await expect(popped).rejects.toBe(reason);
      const unsent = { name: "TimeoutError", outcome: "unsent" };
      await expect(mine.with({ deadline: { remaining: () => 10 } }).incr("n")).rejects.toMatchObject(unsent);
      expect(await mine.exists("n")).toBe(0);
      // A blocking command's own timeout is added to the call's.
      expect(await mine.with({ timeout: 1_500 }).blpop("none", 1.7)).toBe(null);
    });

    test("a call settles even if its middleware or requester never does", async () => {
      const silent = () => new Promise<never>(() => {});
      const mine = client();
      mine.use(silent);
      for (const redis of [mine, new Redis({ request: silent })]) {
        const failure = { name: "TimeoutError", outcome: "unknown", command: "INCR" };
        const hasty = redis.with({ timeout: 50 });
        await expect(hasty.incr("n")).rejects.toMatchObject(failure);
        const batch = await Promise.allSettled([hasty.get("k"), hasty.incr("n")]);
        expect(batch).toMatchObject([{ reason: { name: "TimeoutError" } }, { reason: failure }]);
        const many = { ...failure, command: "MULTI" };
        await expect(hasty.multi().incr("n").exec()).rejects.toMatchObject(many);
        const controller = new AbortController();
        const call = redis.with({ signal: controller.signal }).incr("n");
        setTimeout(() => controller.abort("reason"), 20);
        await expect(call).rejects.toBe("reason");
      }
    });

    test("middleware sees and changes every request of its own client only", async () => {
      const mine = client();
      const seen: unknown[] = [];
      mine.use(async (request, next) => {
        seen.push(request);
        return next(request);
      });
      await mine.set("k", { a: "é" });
      expect(await mine.get("k")).toEqual({ a: "é" });
      expect(await Promise.all([mine.get("k"), mine.incr("n")])).toEqual([{ a: "é" }, 1]);
      expect(await mine.multi().incr("n").exec()).toEqual([2]);
      expect(seen).toEqual([
        { body: ["SET", "k", '{"a":"é"}'] },
        { body: ["GET", "k"] },
        {
          path: ["pipeline"],
          body: commands("GET k", "INCR n"),
        },
        { path: ["multi-exec"], body: [["INCR", "n"]] },
      ]);
      await client().get("k");
      expect(seen).toHaveLength(4);
    });

    test("middleware can respond itself, pass errors on, and wrap earlier middleware", async () => {
      const mine = client();
      await mine.set("text", "x");
      mine.use(async (request, next) => {
        const [name] = request.body as string[];
        return name === "ECHO" ? { result: "inner" } : next(request);
      });
      mine.use(async (request, next) => {
        const { result } = await next<string>(request);
        return { result: `outer of ${result}` };
      });
      expect(await mine.echo("x")).toBe("outer of inner");
      await expect(mine.incr("text")).rejects.toMatchObject({ code: "ERR", command: "INCR" });
    });

    test("errors of a codec, a schema, middleware and update()'s function are passed on", async () => {
      const failure = new Error("own");
      const fail = () => {
        throw failure;
      };
      const mine = client();
      mine.use(fail);
      const coded = client({ codec: { encode: fail, decode: fail } });
      const schema = { "~standard": { version: 1, vendor: "test", validate: fail } } as const;
      await redis.set("k", 1);
      const calls = [coded.set("k", 2), coded.get("k"), redis.get("k", { schema }), mine.get("k")];
      const results = await Promise.allSettled([...calls, redis.update("k", fail)]);
      expect(results).toEqual(results.map(() => ({ status: "rejected", reason: failure })));
      expect(await redis.get("k")).toBe(1);
    });

    test("invalid responses of middleware are ProtocolErrors", async () => {
      for (const response of [{}, undefined, "text", { result: { a: 1 } }]) {
        const mine = client();
        mine.use(async () => response as never);
        const lost = { name: "ProtocolError", outcome: "unknown" };
        await expect(mine.get("k")).rejects.toMatchObject(lost);
        await expect(mine.multi().incr("n").exec()).rejects.toMatchObject(lost);
      }
    });
  });
});

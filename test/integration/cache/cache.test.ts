import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { ArgumentError, ConfigError, Redis, SchemaError } from "warmline";
import { type CachedOptions, cached } from "warmline/cache";
import { Redis as FetchRedis } from "warmline/fetch";
import { near } from "warmline/near";
import * as z from "zod";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { describeEngines, embeddedEngine } from "../gateway/engines.js";

/** A promise, and the function that resolves it. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

describeEngines("cached functions", (setup) => {
  const gateway = sharedByTests(() => setup.start());
  const redis = sharedByTests(
    async () => new Redis({ url: gateway.url, token: gateway.token, timeout: 10_000 }),
  );
  beforeEach(() => redis.flushall());

  /** Makes a stored result `seconds` older. */
  const age = (id: string, seconds: number) => redis.hincrby(`user:cached:${id}`, "began", -1_000 * seconds);

  /** The versions of some data, and cached functions that read them. Each function is that of an instance of its own. */
  function createUsers(options: Partial<CachedOptions<[id: string], any>> = {}) {
    const users = {
      runs: 0,
      version: 1,
      load: async (id: string): Promise<unknown> => `${id}:${users.version}`,
    };
    const instance = (own: typeof options = {}, client = redis) =>
      cached(
        client,
        "user",
        async (id: string) => {
          users.runs++;
          return users.load(id);
        },
        { key: (id) => id, fresh: 60, ...options, ...own },
      );
    return { users, instance };
  }

  test("a result is computed once, and returned until it is deleted", async () => {
    const { users, instance } = createUsers();
    const [one, other] = [instance(), instance()];
    expect(await one("7")).toBe("7:1");
    users.version = 2;
    expect([await one("7"), await other("7"), await other("8")]).toEqual(["7:1", "7:1", "8:2"]);
    expect(users.runs).toBe(2);
    await other.delete("7");
    expect([await one("7"), await other("7"), await one("8")]).toEqual(["7:2", "7:2", "8:2"]);
    expect(users.runs).toBe(3);
    expect(await redis.keys("*")).toHaveLength(2);
  });

  test("a call that joins a computation sends no request, and gets its result", async () => {
    const { users, instance } = createUsers({ tags: () => ["team"] });
    const { open, opened } = gate();
    let requests = 0;
    const client = new Redis({ url: gateway.url, token: gateway.token });
    client.use((request, next) => {
      requests++;
      return next(request);
    });
    const call = instance({}, client);
    // Loads the scripts.
    await call("8");
    users.load = (id) => opened.then(() => id);
    const first = call("7");
    await expect.poll(() => users.runs).toBe(2);
    requests = 0;
    const second = call("7");
    await pause(10);
    expect(requests).toBe(0);
    open();
    expect(await Promise.all([first, second])).toEqual(["7", "7"]);
    // The request that stores the result.
    expect([users.runs, requests]).toEqual([2, 1]);
  });

  test("a lookup that began before a deletion is not shared with a call after it", async () => {
    const { users, instance } = createUsers();
    await instance()("7");
    const { open, opened } = gate();
    let holds = true;
    let replies = 0;
    const client = redis.with({});
    client.use(async (request, next) => {
      const reply = await next(request);
      replies++;
      if (holds) await opened;
      return reply;
    });
    const call = instance({}, client);
    const early = call("7");
    await expect.poll(() => replies).toBe(1);
    holds = false;
    users.version = 2;
    await instance().delete("7");
    const late = call("7");
    await pause(10);
    open();
    expect([await early, await late]).toEqual(["7:1", "7:2"]);
  });

  test("a result is fresh, then stale, then gone", async () => {
    const { users, instance } = createUsers({ fresh: 60, stale: 600 });
    const refreshes: Promise<unknown>[] = [];
    const call = instance({ waitUntil: (refresh) => refreshes.push(refresh) });
    expect(await call("7")).toBe("7:1");
    users.version = 2;
    await age("7", 50);
    expect(await call("7")).toBe("7:1");
    await age("7", 15);
    // Only one call of all instances computes the result again, after its response.
    const { open, opened } = gate();
    users.load = (id) => opened.then(() => `${id}:${users.version}`);
    expect(await Promise.all([call("7"), instance()("7"), call("7")])).toEqual(["7:1", "7:1", "7:1"]);
    expect([refreshes.length, users.runs]).toEqual([1, 2]);
    open();
    await Promise.all(refreshes);
    expect(await call("7")).toBe("7:2");
    users.version = 3;
    await age("7", 661);
    expect(await call("7")).toBe("7:3");
    expect(await redis.pttl("user:cached:7")).toBeGreaterThan(600_000);
  });

  test("each call counts the age by its own options", async () => {
    const { users, instance } = createUsers();
    await instance()("7");
    users.version = 2;
    await age("7", 10);
    expect([await instance()("7"), await instance({ fresh: 5 })("7")]).toEqual(["7:1", "7:2"]);
  });

  test("Redis removes a result after its lifetime", async () => {
    const { instance } = createUsers({ fresh: 0.05, stale: 0.05 });
    await instance()("7");
    await expect.poll(() => redis.keys("*")).toEqual([]);
  });

  test("without waitUntil the call that refreshes returns the new result, and others the stale one", async () => {
    const { users, instance } = createUsers({ stale: 60 });
    await instance()("7");
    await age("7", 61);
    users.version = 2;
    const { open, opened } = gate();
    users.load = (id) => opened.then(() => `${id}:${users.version}`);
    const call = instance();
    const refresh = call("7");
    await expect.poll(() => users.runs).toBe(2);
    expect([await call("7"), await instance()("7")]).toEqual(["7:1", "7:1"]);
    open();
    expect(await refresh).toBe("7:2");
    expect(users.runs).toBe(2);
  });

  test("a failed refresh rejects where it is awaited, and the stale result is returned until the lease ends", async () => {
    const { users, instance } = createUsers({ stale: 60 });
    await instance()("7");
    await age("7", 61);
    users.load = () => Promise.reject(new Error("no database"));
    await expect(instance()("7")).rejects.toThrow("no database");
    expect(await instance()("7")).toBe("7:1");
    const refreshes: Promise<unknown>[] = [];
    await redis.hincrby("user:cached:7", "until", -10_000);
    expect(await instance({ waitUntil: (refresh) => refreshes.push(refresh) })("7")).toBe("7:1");
    await expect(refreshes[0]).rejects.toThrow("no database");
    // A rejection that waitUntil does not handle is handled.
    await redis.hincrby("user:cached:7", "until", -10_000);
    expect(await instance({ waitUntil: () => {} })("7")).toBe("7:1");
    expect(users.runs).toBe(4);
  });

  test("an error of waitUntil reaches its call, and the refresh goes on", async () => {
    const { users, instance } = createUsers({ stale: 60 });
    await instance()("7");
    await age("7", 61);
    users.version = 2;
    const waitUntil = () => {
      throw new Error("outside a request");
    };
    await expect(instance({ waitUntil })("7")).rejects.toThrow("outside a request");
    await expect.poll(() => instance()("7")).toBe("7:2");
    // No other call has computed it, as one would after the lease.
    expect(users.runs).toBe(2);
    users.load = () => Promise.reject(new Error("no database"));
    await expect(instance({ waitUntil })("8")).rejects.toThrow("no database");
    await expect.poll(() => redis.exists("user:cached:8")).toBe(0);
  });

  test("an error reaches every call that waits, and is not stored", async () => {
    const { users, instance } = createUsers();
    const failure = new Error("no database");
    users.load = () => pause(20).then(() => Promise.reject(failure));
    const [one, other] = [instance(), instance()];
    const results = await Promise.allSettled([one("7"), one("7"), one("7")]);
    expect(results).toEqual(results.map(() => ({ status: "rejected", reason: failure })));
    expect(users.runs).toBe(1);
    // A call of another instance that waits for the lease computes itself.
    const first = one("7");
    const second = pause(5).then(() => other("7"));
    expect(await Promise.allSettled([first, second])).toEqual([
      { status: "rejected", reason: failure },
      { status: "rejected", reason: failure },
    ]);
    expect(users.runs).toBe(3);
    expect(await redis.keys("*")).toEqual([]);
    users.load = async () => "found";
    expect([await one("7"), await other("7")]).toEqual(["found", "found"]);
    const sync = cached(
      redis,
      "sync",
      (): number => {
        throw failure;
      },
      { key: () => "all", fresh: 60 },
    );
    await expect(sync()).rejects.toBe(failure);
  });

  test.each([
    [undefined, "undefined"],
    ["1", "text with a number"],
    ["null", "text with null"],
    [2 ** 60, "an integer beyond 2^53"],
    [{ a: [1.5, null, "é", "01"], b: undefined }, "an object"],
  ])("a result is stored as it is: %s", async (result, what) => {
    const { users, instance } = createUsers();
    users.load = async () => result;
    const results = [await instance()(what), await instance()(what)];
    expect(results).toEqual([result, result]);
    expect(users.runs).toBe(1);
  });

  test("an object of a class comes back as a plain one, and each call gets one of its own", async () => {
    const { users, instance } = createUsers();
    users.load = async () =>
      new (class User {
        name = "Ada";
      })();
    const call = instance();
    const results = await Promise.all([call("7"), call("7"), instance()("7")]);
    for (const result of results) expect(result).toStrictEqual({ name: "Ada" });
    expect([new Set(results).size, users.runs]).toEqual([3, 1]);
  });

  test("a call waits for another instance for longer than its timeout", async () => {
    const { users, instance } = createUsers();
    const { open, opened } = gate();
    users.load = (id) => opened.then(() => id);
    const first = instance()("7");
    await expect.poll(() => users.runs).toBe(1);
    const second = instance({}, redis.with({ timeout: 1_000 }))("7");
    await pause(1_500);
    open();
    expect(await Promise.all([first, second])).toEqual(["7", "7"]);
    expect(users.runs).toBe(1);
  });

  test.each([
    [1n, "a bigint"],
    [[Number.NaN], "NaN"],
    [{ bytes: new Uint8Array(2) }, "an object of class Uint8Array"],
    [[undefined], "undefined"],
    [{ at: new Date(0) }, "an object of class Date, which returns from JSON as another type"],
  ])("a result that JSON can't hold is refused: %s", async (result, what) => {
    const { users, instance } = createUsers();
    users.load = async () => result;
    const error = await instance()("7").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ArgumentError);
    expect((error as Error).message).toContain(`cached: the result contains ${what}`);
    expect(await redis.keys("*")).toEqual([]);
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    users.load = async () => cyclic;
    await expect(instance()("7")).rejects.toThrow("cached: the result can't be serialized as JSON");
  });

  test("a schema transforms results, and those of another shape are computed anew", async () => {
    const { users, instance } = createUsers();
    users.load = async () => ({ id: 7 });
    expect(await instance()("7")).toEqual({ id: 7 });
    const schema = z.object({ id: z.number(), at: z.coerce.date() });
    const at = new Date(0);
    users.load = async () => ({ id: 7, at });
    const call = instance({ schema });
    expect(await Promise.all([call("7"), call("7")])).toEqual([
      { id: 7, at },
      { id: 7, at },
    ]);
    expect(users.runs).toBe(2);
    expect(await instance({ schema })("7")).toEqual({ id: 7, at });
    expect(users.runs).toBe(2);
    users.load = async () => null;
    expect(await call("none")).toBeNull();
    users.load = async () => ({ id: "eight" });
    const error = await call("8").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(SchemaError);
    expect((error as SchemaError).message).not.toContain("eight");
    expect(await redis.exists("user:cached:8")).toBe(0);
  });

  test("a tag deletes the results that have it", async () => {
    const { users, instance } = createUsers({
      tags: (_user: unknown, id) => (id === "9" ? [] : [`team:${Number(id) % 2}`, "a tag with spaces, é"]),
    });
    const [one, other] = [instance(), instance()];
    const read = () => Promise.all(["1", "2", "3", "9"].map((id) => one(id)));
    expect(await read()).toEqual(["1:1", "2:1", "3:1", "9:1"]);
    users.version = 2;
    const tags = () => ["team:1"];
    // Tags of different functions are distinct, even with the same text.
    await cached(redis, "team", () => 1, { key: () => "1", fresh: 60, tags }).deleteTag("team:1");
    expect(await read()).toEqual(["1:1", "2:1", "3:1", "9:1"]);
    await other.deleteTag("team:1");
    expect(await read()).toEqual(["1:2", "2:1", "3:2", "9:1"]);
    users.version = 3;
    await other.deleteTag("unused");
    expect(await read()).toEqual(["1:2", "2:1", "3:2", "9:1"]);
    await other.deleteTag("a tag with spaces, é");
    expect(await read()).toEqual(["1:3", "2:3", "3:3", "9:1"]);
    expect(users.runs).toBe(9);
  });

  test("a result is not stored if its key or tag was deleted during its computation", async () => {
    const { users, instance } = createUsers({ tags: () => ["team"] });
    const [one, other] = [instance(), instance()];
    for (const remove of [
      () => other.delete("7"),
      () => other.deleteTag("team"),
      () => one.deleteTag("team"),
    ]) {
      const { open, opened } = gate();
      const version = users.version;
      const runs = users.runs;
      users.load = (id) => opened.then(() => `${id}:${version}`);
      const early = one("7");
      await expect.poll(() => users.runs).toBe(runs + 1);
      users.version++;
      await remove();
      // This call shares the computation until that turns out to have begun before the deletion.
      users.load = async (id) => `${id}:${users.version}`;
      const late = one("7");
      await pause(20);
      open();
      expect([await early, await late]).toEqual([`7:${version}`, `7:${users.version}`]);
      expect(await other("7")).toBe(`7:${users.version}`);
      await other.delete("7");
    }
  });

  test.each(["of one instance", "of several instances"])("calls %s wait for one lease only", async (of) => {
    const lease = 0.4;
    const { users, instance } = createUsers({ lease });
    const began: number[] = [];
    const { open, opened } = gate();
    users.load = async () => {
      began.push(performance.now());
      await opened;
      return "late";
    };
    const one = instance();
    const calls = Array.from({ length: 12 }, () => (of === "of one instance" ? one : instance())("7"));
    await expect.poll(() => began.length).toBe(12);
    open();
    expect(new Set(await Promise.all(calls))).toEqual(new Set(["late"]));
    // One after another they would take eleven leases.
    expect(began.at(-1)! - began[0]!).toBeLessThan(6 * lease * 1_000);
  });

  test("the age of a result counts from the start of its computation", async () => {
    const { users, instance } = createUsers();
    users.load = (id) => pause(100).then(() => `${id}:${users.version}`);
    expect(await instance()("7")).toBe("7:1");
    const left = await redis.pttl("user:cached:7");
    expect(left).toBeLessThanOrEqual(59_901);
    expect(left).toBeGreaterThan(0);
  });

  test("the lost record of deletions deletes all results with tags", async () => {
    const { users, instance } = createUsers({ tags: (_user: unknown, id) => (id === "9" ? [] : ["team"]) });
    const call = instance();
    await Promise.all([call("7"), call("9")]);
    users.version = 2;
    await call.deleteTag("team");
    await redis.del("user:cached");
    await pause(2);
    expect([await call("7"), await call("9")]).toEqual(["7:2", "9:1"]);
  });

  test("a tag is deleted though the clock of Redis was set back, or has not moved on", async () => {
    const { users, instance } = createUsers({ tags: () => ["team"] });
    const call = instance();
    await call.deleteTag("other");
    await redis.zincrby("user:cached", 60_000, "other");
    expect(await call("7")).toBe("7:1");
    users.version = 2;
    await call.deleteTag("team");
    expect(await call("7")).toBe("7:2");
  });

  test("records of deletions are removed when they are older than any result", async () => {
    const { users, instance } = createUsers({ tags: (_user: unknown, id) => [id] });
    const call = instance();
    for (const tag of ["a", "b", "c"]) await call.deleteTag(tag);
    // 60 s of a result, and 10 s of its lease.
    for (const member of ["", "a", "b"]) await redis.zincrby("user:cached", -70_001, member);
    await call("7");
    await call.deleteTag("d");
    expect(await redis.zrange("user:cached", 0, -1)).toEqual(["", "c", "d"]);
    users.version = 2;
    expect(await call("7")).toBe("7:1");
    await call.deleteTag("7");
    expect(await call("7")).toBe("7:2");
    const left = await redis.pttl("user:cached");
    expect(left).toBeGreaterThan(70_000);
    expect(left).toBeLessThanOrEqual(140_000);
  });

  test("an abort ends the wait of its call alone", async () => {
    const { users, instance } = createUsers();
    const { open, opened } = gate();
    users.load = (id) => opened.then(() => `${id}:1`);
    const controllers = [new AbortController(), new AbortController()];
    const signals = controllers.map(({ signal }) => signal);
    const client = redis.with({ signal: () => signals.shift() });
    const call = instance({}, client);
    const calls = [call("7"), call("7"), call("7")];
    await expect.poll(() => users.runs).toBe(1);
    controllers[0]!.abort(new Error("gone"));
    await expect(calls[0]).rejects.toThrow("gone");
    open();
    expect([await calls[1], await calls[2], users.runs]).toEqual(["7:1", "7:1", 1]);
  });

  test("an aborted signal ends calls and deletions before they send anything", async () => {
    const { users, instance } = createUsers({ tags: () => ["team"] });
    expect(await instance()("7")).toBe("7:1");
    users.version = 2;
    const aborted = instance({}, redis.with({ signal: AbortSignal.abort("no") }));
    for (const run of [
      () => aborted("7"),
      () => aborted("8"),
      () => aborted.delete("7"),
      () => aborted.deleteTag("team"),
    ])
      await expect(run()).rejects.toBe("no");
    expect([await instance()("7"), users.runs]).toEqual(["7:1", 1]);
    // A deletion that was sent may be applied.
    const controller = new AbortController();
    const client = redis.with({ signal: controller.signal });
    client.use(async (request, next) => {
      controller.abort("gone");
      return next(request);
    });
    await expect(instance({}, client).delete("7")).rejects.toBe("gone");
  });

  test("calls of different ticks share no promise on the entry on fetch, and still compute once", async () => {
    const { users, instance } = createUsers();
    users.load = (id) => pause(50).then(() => id);
    const client = new FetchRedis({ url: gateway.url, token: gateway.token }) as Redis;
    let requests = 0;
    client.use((request, next) => {
      requests++;
      return next(request);
    });
    const call = instance({}, client);
    const first = [call("7"), call("7")];
    await expect.poll(() => users.runs).toBe(1);
    const alone = requests;
    expect(await Promise.all([...first, call("7")])).toEqual(["7", "7", "7"]);
    expect(users.runs).toBe(1);
    // The late call has looked up the entry itself, beside the request that stored the result.
    expect(requests).toBeGreaterThan(alone + 1);
  });

  test("a key with another type of value is left alone", async () => {
    await redis.set("user:cached:7", "mine");
    await expect(createUsers().instance()("7")).rejects.toMatchObject({ code: "WRONGTYPE" });
    expect(await redis.get("user:cached:7")).toBe("mine");
  });

  test("a client's codec, exactly-once writes, near cache and JSON responses change nothing", async () => {
    const { users, instance } = createUsers({ tags: () => ["team"] });
    const endpoint = { url: gateway.url, token: gateway.token };
    const bytes = { encode: (value: unknown) => String(value), decode: (stored: Uint8Array) => stored };
    const clients = [
      new Redis({ ...endpoint, codec: bytes }),
      new Redis({ ...endpoint, writes: "exactly-once" }),
      new Redis({ ...endpoint, near: near({ match: "user:*" }) }),
      new Redis({ ...endpoint, responseFormat: "json", enableAutoPipelining: false }),
    ].map((client) => instance({}, client as Redis));
    users.load = async () => ({ n: "1", name: "é" });
    for (const call of clients) expect(await call("7")).toEqual({ n: "1", name: "é" });
    expect(users.runs).toBe(1);
    await clients[1]!.deleteTag("team");
    await clients[2]!("7");
    expect(users.runs).toBe(2);
  });
});

test("a result that is too large for the endpoint rejects its call, and no other waits for the lease", async () => {
  const gateway = forTest(await embeddedEngine.start({ maxBodySize: 10_000 }));
  const redis = new Redis({ url: gateway.url, token: gateway.token, timeout: 10_000 });
  let runs = 0;
  const page = cached(redis, "page", () => "x".repeat(++runs < 3 ? 10_000 : 1_000), {
    key: () => "all",
    fresh: 60,
  });
  await expect(page()).rejects.toThrow(/the request is larger than 10000 bytes/);
  await expect(page()).rejects.toThrow(/the request is larger than 10000 bytes/);
  expect(await page()).toHaveLength(1_000);
  expect(await page()).toHaveLength(1_000);
  expect(runs).toBe(3);
});

test("the arguments of cached are checked", async () => {
  const redis = new Redis({ url: "http://127.0.0.1:1", token: "t", retry: false });
  const call = (...args: unknown[]) => {
    try {
      return (cached as (...args: unknown[]) => unknown)(...args);
    } catch (error) {
      return error;
    }
  };
  const options = { key: (id: string) => id, fresh: 60 };
  const fn = () => 1;
  const refused: [unknown[], RegExp][] = [
    ...["", "\ud800", "a:cached:b"].map((name): [unknown[], RegExp] => [
      [redis, name, fn, options],
      /the name must be non-empty, well-formed text/,
    ]),
    [[redis, "user", 1, options], /the third argument must be a function/],
    [[redis, "user", fn, { ...options, fersh: 1 }], /unknown option fersh; did you mean fresh\?/],
    [[redis, "user", fn, { fresh: 60 }], /key must be a function/],
    [[redis, "user", fn, { key: options.key }], /fresh must be a number of seconds above 0/],
    [[redis, "user", fn, { ...options, tags: ["a"] }], /tags must be a function/],
    [[redis, "user", fn, { ...options, waitUntil: true }], /waitUntil must be a function/],
    [[redis, "user", fn, { ...options, schema: {} }], /schema must be a Standard Schema/],
    [[redis, "user", fn, { ...options, onOutage: "wait" }], /onOutage must be compute or throw/],
  ];
  for (const [args, message] of refused) {
    const error = call(...args);
    expect(error).toBeInstanceOf(ConfigError);
    expect((error as Error).message).toMatch(message);
  }
  // As in a build without the environment of the function.
  const unconfigured = cached(new Redis({}), "user", (id: string) => id, options);
  await expect(unconfigured("7")).rejects.toThrow(ConfigError);
  const user = cached(redis, "user", (id: string) => id, options);
  await expect(user.deleteTag("team")).rejects.toThrow("cached: deleteTag needs the option tags");
  const refusedText: [unknown, string][] = [
    ["", "empty text"],
    [Promise.resolve("7"), "a promise: is an `await` missing?"],
    ["\ud800", "text with a lone surrogate"],
  ];
  for (const [id, what] of refusedText) {
    const message = `cached: key must return non-empty, well-formed text, not ${what}`;
    await expect(user(id as string)).rejects.toThrow(message);
    await expect(user.delete(id as string)).rejects.toThrow(message);
  }
  const tagged = (tags: unknown) =>
    cached(redis, "user", (id: string) => id, { ...options, tags: () => tags as string[] });
  await expect(tagged([]).deleteTag("")).rejects.toThrow(/a tag must be non-empty/);
  await expect(tagged("team")("7")).rejects.toThrow(/tags must return an array/);
  await expect(tagged([1])("7")).rejects.toThrow("a tag must be non-empty, well-formed text, not a number");
  await expect(tagged(new Array(1))("7")).rejects.toThrow("well-formed text, not undefined");
});

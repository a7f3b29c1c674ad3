import { AsyncLocalStorage } from "node:async_hooks";
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { createGateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import { ConfigError, Redis, type RedisOptions, TimeoutError } from "../../../src/index.js";
import { type NearOptions, near } from "../../../src/near.js";
import { startRedis } from "../../../testbed/src/index.js";
import { jsonResponse, RawEndpoint } from "../../support/endpoint.js";
import { forTest, sharedByTests } from "../../support/lifetime.js";

/** The time by which the clocks of this process are ahead, in ms. */
const clocks = { monotonic: 0, wall: 0 };
const monotonic = process.hrtime.bigint;
const wall = Date.now;
process.hrtime.bigint = () => monotonic() + BigInt(clocks.monotonic * 1e6);
Date.now = () => wall() + clocks.wall;
afterAll(() => {
  Date.now = wall;
  process.hrtime.bigint = monotonic;
});

const MATCH = { match: ["near:*", "single"] };

describe("a near cache", { tags: "redis-server" }, () => {
  /** The commands that reached Redis through a gateway, such as `GET near:a`. */
  let sent: string[] = [];

  const start = (options: GatewayOptions = {}) =>
    createGateway({
      port: 0,
      redis: server.url,
      token: "main",
      logLevel: "silent",
      nearPrefix: ["near:", "single"],
      onCommand: ({ name, keys }) => sent.push([name, ...keys].join(" ")),
      ...options,
    });
  const server = sharedByTests(() => startRedis());
  const gateway = sharedByTests(() => start());
  beforeEach(async () => {
    await server.command("FLUSHALL");
    // The change of every key is reported before the test begins.
    await client().with({ near: "verify" }).get("near:none");
    sent = [];
  });
  afterEach(() => void vi.restoreAllMocks());

  const client = (
    options: Partial<NearOptions> = {},
    more: RedisOptions = {},
    url = gateway.url,
    Client: typeof Redis | typeof FetchRedis = Redis,
  ) => new Client({ url, token: "main", ...more, near: near({ ...MATCH, maxStale: 60_000, ...options }) });
  /**
   * A client whose commands can be counted after {@link passTime}. On connections of its own a client sends a read again, if the
   * response is late after a freeze.
   */
  const countable = (maxStale: number, url?: string) => client({ maxStale }, {}, url, FetchRedis);

  /** Lets time pass on both clocks, as a freeze does, or on one of them. It never goes back: connections outlive a test. */
  function passTime(ms: number, onWall = ms): void {
    clocks.monotonic += ms;
    clocks.wall += onWall;
  }

  test("a second read is answered from memory, with a new copy of the value", async () => {
    const redis = client();
    await server.command("SET", "near:a", '{"n":1}');
    const first = await redis.get<{ n: number }>("near:a");
    expect(sent).toEqual(["GET near:a", "PTTL near:a"]);
    first!.n = 99;
    expect(await redis.get("near:a")).toEqual({ n: 1 });
    expect(sent).toHaveLength(2);
    const { hits, misses, bytesSaved } = redis.stats().near!;
    expect({ hits, misses }).toEqual({ hits: 1, misses: 1 });
    expect(bytesSaved).toBe(7);
  });

  test.each([
    ["GET", (redis: Redis) => redis.get("near:s"), "text"],
    ["MGET", (redis: Redis) => redis.mget("near:s", "near:missing"), ["text", null]],
    ["GET of a missing key", (redis: Redis) => redis.get("near:missing"), null],
    ["HGETALL", (redis: Redis) => redis.hgetall("near:h"), { f: 1, g: "x" }],
    ["ZRANGE", (redis: Redis) => redis.zrange("near:z", 0, -1, { withScores: true }), ["m", 1.5]],
    ["a command given argument by argument", (redis: Redis) => redis.exec(["get", "near:s"]), "text"],
  ])("%s is answered from memory", async (_name, read, expected) => {
    await server.command("SET", "near:s", "text");
    await server.command("HSET", "near:h", "f", "1", "g", "x");
    await server.command("ZADD", "near:z", "1.5", "m");
    const redis = client();
    expect(await read(redis)).toEqual(expected);
    const count = sent.length;
    expect(count).toBeGreaterThan(0);
    expect(await read(redis)).toEqual(expected);
    expect(sent).toHaveLength(count);
  });

  test.each([
    ["a key that does not match", (redis: Redis) => redis.get("other")],
    ["a read with one key that does not match", (redis: Redis) => redis.mget("near:s", "other")],
    ["TTL", (redis: Redis) => redis.ttl("near:s")],
    ["SRANDMEMBER", (redis: Redis) => redis.srandmember("near:set")],
    ["a key given as bytes", (redis: Redis) => redis.get(new TextEncoder().encode("near:s") as never)],
  ])("%s is sent each time", async (_name, read) => {
    await server.command("SET", "near:s", "text");
    await server.command("SADD", "near:set", "m");
    const redis = client();
    await read(redis);
    const count = sent.length;
    await read(redis);
    expect(sent).toHaveLength(2 * count);
    expect(redis.stats().near).toMatchObject({ hits: 0, misses: 0 });
  });

  test("any other request brings the changes of all keys", async () => {
    const redis = client();
    await server.command("MSET", "near:a", "1", "near:b", "1");
    expect(await redis.mget("near:a")).toEqual([1]);
    expect(await Promise.all([redis.get("near:a"), redis.get("near:b")])).toEqual([1, 1]);
    await server.command("SET", "near:a", "2");
    await expect.poll(() => redis.get("other").then(() => redis.stats().near!.invalidated)).toBe(2);
    sent = [];
    expect(await redis.get("near:a")).toBe(2);
    expect(await redis.get("near:b")).toBe(1);
    expect(sent).toEqual(["GET near:a", "PTTL near:a"]);
  });

  test("a read that verifies sends a PING, and the read only if a key in the bucket has changed", async () => {
    const redis = client().with({ near: "verify" });
    await server.command("SET", "near:a", "0");
    await redis.get("near:a");
    for (let i = 1; i <= 50; i++) {
      sent = [];
      expect(await redis.get("near:a")).toBe(i - 1);
      expect(sent).toEqual(["PING"]);
      await server.command("SET", "near:a", i);
      expect(await redis.get("near:a")).toBe(i);
    }
    expect(redis.stats().near).toMatchObject({ verified: 50, invalidated: 50, misses: 51, hits: 0 });
  });

  test("reads of clients made by with() for each call share one PING and the requests after it", async () => {
    const redis = client();
    const read = (key: string) => redis.with({ near: "verify" }).get(key);
    await Promise.all([read("near:a"), read("near:b")]);
    sent = [];
    await Promise.all([read("near:a"), read("near:b"), read("near:a")]);
    expect(sent).toEqual(["PING"]);
    await server.command("SET", "near:a", "1");
    sent = [];
    expect(await Promise.all([read("near:a"), read("near:b"), read("near:a")])).toEqual([1, null, 1]);
    expect(sent).toEqual(["PING", "GET near:a", "PTTL near:a"]);
    sent = [];
    await Promise.all([read("near:a"), redis.with({ near: "verify", timeout: 5_000 }).get("near:b")]);
    expect(sent).toEqual(["PING", "PING"]);
  });

  test("a read with near: false is sent, and a later one reads from memory again", async () => {
    const redis = client();
    await redis.get("near:a");
    sent = [];
    await redis.with({ near: false }).get("near:a");
    expect(sent).toEqual(["GET near:a"]);
    await redis.get("near:a");
    expect(sent).toHaveLength(1);
  });

  test("after a freeze one PING shows what has changed, for all reads of that time", async () => {
    const redis = countable(2_000);
    await server.command("MSET", "near:a", "1", "near:b", "1", "near:c", "1");
    const keys = ["near:a", "near:b", "near:c"];
    await Promise.all(keys.map((key) => redis.get(key)));
    await server.command("SET", "near:b", "2");
    passTime(10_000);
    sent = [];
    expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual([1, 2, 1]);
    expect(sent).toEqual(["PING", "GET near:b", "PTTL near:b"]);
    expect(await Promise.all(keys.map((key) => redis.get(key)))).toEqual([1, 2, 1]);
    expect(sent).toHaveLength(3);
  });

  test("a reply is dropped when its key's time to live ends, however late Redis reports it", async () => {
    const redis = countable(60_000);
    await server.command("SET", "near:a", "1", "PX", 5_000);
    await server.command("SET", "near:b", "1", "PX", 90_000);
    expect(await redis.mget("near:a", "near:b")).toEqual([1, 1]);
    expect(await redis.get("near:b")).toBe(1);
    passTime(5_001);
    sent = [];
    expect(await redis.get("near:b")).toBe(1);
    expect(sent).toEqual([]);
    await redis.mget("near:a", "near:b");
    expect(sent).toEqual(["MGET near:a near:b", "PTTL near:a", "PTTL near:b"]);
  });

  test("reads of a pipeline that are in memory are not sent", async () => {
    const redis = client();
    await server.command("MSET", "near:a", "1", "near:b", "2", "other", "3");
    const pipeline = () => redis.pipeline().get("near:a").get("other").get("near:b").strlen("near:a").exec();
    expect(await redis.get("near:a")).toBe(1);
    sent = [];
    expect(await pipeline()).toEqual([1, 3, 2, 1]);
    expect(sent).toEqual(["GET other", "GET near:b", "STRLEN near:a", "PTTL near:b", "PTTL near:a"]);
    sent = [];
    expect(await pipeline()).toEqual([1, 3, 2, 1]);
    expect(sent).toEqual(["GET other"]);
    sent = [];
    expect(await redis.pipeline().get("near:a").get("near:b").exec()).toEqual([1, 2]);
    expect(sent).toEqual([]);
  });

  test("a read behind a write of its key in a pipeline is sent, and errors keep their places", async () => {
    const redis = client();
    await server.command("SET", "near:a", "1");
    await redis.get("near:a");
    const results = await redis
      .pipeline()
      .get("near:a")
      .set("near:a", 2)
      .get("near:a")
      .hget("near:a", "f")
      .exec({ keepErrors: true });
    expect(results.slice(0, 3)).toEqual([{ result: 1 }, { result: "OK" }, { result: 2 }]);
    expect(results[3]!.error).toMatchObject({ command: "HGET", index: 3, code: "WRONGTYPE" });
    await expect(redis.pipeline().get("near:a").hget("near:a", "f").exec()).rejects.toMatchObject({
      index: 1,
    });
    expect(await redis.get("near:a")).toBe(2);
  });

  test.each([
    ["a pipeline with near: false", (redis: Redis) => redis.with({ near: false }).pipeline()],
    ["a pipeline that verifies", (redis: Redis) => redis.with({ near: "verify" }).pipeline()],
    ["a transaction", (redis: Redis) => redis.multi()],
  ])("the reads of %s are sent, although they are in memory", async (_name, collect) => {
    const redis = client();
    await server.command("MSET", "near:a", "1", "near:b", "1");
    await Promise.all([redis.get("near:a"), redis.get("near:b")]);
    await server.command("SET", "near:a", "2");
    sent = [];
    expect(await collect(redis).get("near:a").get("near:b").exec()).toEqual([2, 1]);
    expect(sent.filter((each) => each.startsWith("GET"))).toEqual(["GET near:a", "GET near:b"]);
    expect(redis.stats().near).toMatchObject({ hits: 0, verified: 0 });
  });

  test.each([
    ["a command", (redis: Redis) => redis.set("near:a", 2)],
    ["a pipeline", (redis: Redis) => redis.pipeline().set("near:a", 2).exec()],
    ["a script", (redis: Redis) => redis.eval("return redis.call('SET', KEYS[1], 2)", ["near:a"], [])],
    ["an exactly-once write", (redis: Redis) => redis.with({ writes: "exactly-once" }).set("near:a", 2)],
    ["a command given argument by argument", (redis: Redis) => redis.exec(["SET", "near:a", 2])],
    ["a command with its key as bytes", (redis: Redis) => redis.set(new TextEncoder().encode("near:a"), 2)],
    ["a client with near: false", (redis: Redis) => redis.with({ near: false }).set("near:a", 2)],
  ])("a read sees the client's own write by %s", async (_name, write) => {
    const redis = client();
    await server.command("SET", "near:a", "1");
    expect(await redis.get("near:a")).toBe(1);
    await write(redis);
    expect(await redis.get("near:a")).toBe(2);
    expect(redis.stats().near!.dropped).toBe(1);
  });

  test("a read after an own write with an unknown outcome is sent", async () => {
    const redis = client();
    await server.command("SET", "near:a", "1");
    await redis.get("near:a");
    expect(await redis.get("near:a")).toBe(1);
    await server.command("CLIENT", "PAUSE", 5_000, "WRITE");
    const writer = redis.with({ timeout: 50 });
    await expect(writer.set("near:a", 2)).rejects.toMatchObject({ outcome: "unknown" });
    await server.command("CLIENT", "UNPAUSE");
    sent = [];
    await redis.get("near:a");
    expect(sent).toContain("GET near:a");
    await expect.poll(() => redis.with({ near: "verify" }).get("near:a")).toBe(2);
  });

  test("FLUSHALL by any client drops every reply", async () => {
    const redis = client();
    await redis.set("near:a", 1);
    await redis.mget("near:a", "near:b");
    expect(await redis.get("near:a")).toBe(1);
    await server.command("FLUSHALL");
    expect(await redis.with({ near: "verify" }).get("near:a")).toBeNull();
    expect(redis.stats().near!.invalidated).toBe(2);
    await redis.set("near:a", 1);
    expect(await redis.get("near:a")).toBe(1);
    await redis.flushall();
    expect(await redis.get("near:a")).toBeNull();
  });

  test("concurrent reads of a key that is not in memory share one request", async () => {
    const redis = client({}, { enableAutoPipelining: false });
    const values = await Promise.all(Array.from({ length: 20 }, () => redis.get("near:a")));
    expect(values).toEqual(new Array(20).fill(null));
    expect(sent).toEqual(["GET near:a", "PTTL near:a"]);
  });

  test("a read by fetch waits for no request of an earlier turn, which may never end", async () => {
    const redis = client({}, { timeout: 2_000 }, gateway.url, FetchRedis);
    const verified = redis.with({ near: "verify" });
    await server.command("SET", "near:a", "1");
    for (const client of [redis, verified]) {
      // As where a platform ends a request that is served, with the fetches that it began.
      vi.spyOn(globalThis, "fetch").mockImplementationOnce(() => new Promise(() => {}));
      const ended = Promise.allSettled([client.get("near:a"), client.get("near:a")]);
      await new Promise((resolve) => setTimeout(resolve));
      sent = [];
      expect(await Promise.all([client.get("near:a"), client.get("near:a")])).toEqual([1, 1]);
      expect(sent).toEqual(client === redis ? ["GET near:a", "PTTL near:a"] : ["PING"]);
      void ended;
    }
    expect(redis.stats().near).toMatchObject({ misses: 4, verified: 2, hits: 0 });
  });

  test("a read that is in flight while a write ends is not kept, with reports and without", async () => {
    const plain = forTest(await start({ nearPrefix: [] }));
    for (const url of [gateway.url, plain.url]) {
      const redis = client({}, { enableAutoPipelining: false }, url);
      for (let i = 1; i <= 50; i++) {
        await Promise.all([redis.get("near:a"), redis.set("near:a", i), redis.get("near:a")]);
        expect(await redis.get("near:a")).toBe(i);
      }
    }
  });

  test("a read that waits for a report of another one is not ended by that one's signal", async () => {
    const requests = new AsyncLocalStorage<AbortSignal>();
    const redis = client({ maxStale: 2_000 }, { signal: () => requests.getStore() });
    await server.command("SET", "near:a", "1");
    await redis.get("near:a");
    passTime(10_000);
    const controller = new AbortController();
    const ended = requests.run(controller.signal, () => redis.get("near:a"));
    const other = redis.get("near:a");
    controller.abort("enough");
    await expect(ended).rejects.toBe("enough");
    expect(await other).toBe(1);
  });

  test("an aborted signal rejects a read that is in memory, and a time limit a read that has to wait", async () => {
    const redis = client({}, { circuit: false });
    await redis.get("near:a");
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(redis.with({ signal }).get("near:a")).rejects.toThrow("enough");
    await server.command("CLIENT", "PAUSE", 1_600, "ALL");
    passTime(100_000);
    const began = performance.now();
    await expect(redis.with({ timeout: 100 }).get("near:a")).rejects.toThrow(TimeoutError);
    expect(performance.now() - began).toBeLessThan(1_500);
    await redis.get("near:a");
  });

  test("text and bytes of one key are kept apart, and a schema checks what comes from memory", async () => {
    const redis = client();
    await server.command("SET", "near:a", Buffer.from([0xff, 0x31]));
    const bytes = redis.with({ codec: "bytes" });
    expect(await redis.get("near:a")).toBe("\ufffd1");
    expect(await bytes.get("near:a")).toEqual(new Uint8Array([0xff, 0x31]));
    expect(await bytes.get("near:a")).toEqual(new Uint8Array([0xff, 0x31]));
    expect(sent.filter((each) => each.startsWith("GET"))).toHaveLength(2);
    const schema = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: (value: unknown) => (value === 1 ? { value: "one" } : { issues: [{ message: "not 1" }] }),
      },
    } as const;
    await expect(redis.get("near:a", { schema })).rejects.toMatchObject({ name: "SchemaError" });
    await redis.set("near:a", 1);
    await redis.get("near:a");
    sent = [];
    expect(await redis.get("near:a", { schema })).toBe("one");
    expect(sent).toEqual([]);
  });

  test("replies beyond maxBytes replace those that were used least recently", async () => {
    const redis = client({ maxBytes: 30_000 });
    for (const key of ["near:a", "near:b", "near:c"]) await server.command("SET", key, "x".repeat(9_000));
    for (const key of ["near:a", "near:b", "near:c", "near:a"]) await redis.get(key);
    await server.command("SET", "near:d", "x".repeat(9_000));
    await redis.get("near:d");
    expect(redis.stats().near!.dropped).toBe(1);
    sent = [];
    await redis.get("near:a");
    expect(sent).toEqual([]);
    await redis.get("near:b");
    expect(sent).toHaveLength(2);
    await server.command("SET", "near:large", "x".repeat(40_000));
    await redis.get("near:large");
    sent = [];
    await redis.get("near:large");
    expect(sent).toHaveLength(2);
  });

  test("replies are kept by time alone where the gateway reports no changes of their keys", async () => {
    const plain = forTest(await start({ nearPrefix: [] }));
    const narrow = forTest(await start({ nearPrefix: ["near:a:"] }));
    for (const { url } of [plain, narrow]) {
      const redis = countable(5_000, url);
      await server.command("SET", "near:b", "1");
      expect(await redis.get("near:b")).toBe(1);
      await server.command("SET", "near:b", "2");
      await redis.get("other");
      expect(await redis.get("near:b")).toBe(1);
      expect(await redis.with({ near: "verify" }).get("near:b")).toBe(2);
      await server.command("SET", "near:b", "3");
      passTime(5_001);
      sent = [];
      expect(await redis.get("near:b")).toBe(3);
      expect(sent).toEqual(["GET near:b"]);
      passTime(5_001);
      sent = [];
      expect(await redis.pipeline().get("near:b").strlen("near:b").exec()).toEqual([3, 1]);
      expect(sent).toEqual(["GET near:b", "STRLEN near:b"]);
    }
  });

  test("a read of a Redis user that may not run PING is sent when its reply is too old", async () => {
    await server.command("ACL", "SETUSER", "mute", "on", ">secret", "~*", "+@all", "-ping");
    const user = { username: "mute", password: "secret" };
    const narrow = forTest(await start({ tokens: [{ name: "mute", token: "mute", user }] }));
    const redis = client({ maxStale: 5_000 }, { token: "mute" }, narrow.url);
    await server.command("SET", "near:a", "1");
    expect(await redis.get("near:a")).toBe(1);
    await server.command("SET", "near:a", "2");
    expect(await redis.with({ near: "verify" }).get("near:a")).toBe(2);
    await server.command("SET", "near:a", "3");
    passTime(5_001);
    expect(await redis.get("near:a")).toBe(3);
  });

  test.each([undefined, "e:1 0 new near%3A,%E0", "e:1 0 !,?", "?"])(
    "replies are kept by time alone where responses of another endpoint have the report %s",
    async (report) => {
      const endpoint = await RawEndpoint.startForTest();
      let value = 0;
      endpoint.onRequest = ({ body, socket }) => {
        const reply = ([name]: readonly string[]) => ({ result: name === "GET" ? String(++value) : -1 });
        const commands = JSON.parse(body) as string[] | string[][];
        const isBatch = Array.isArray(commands[0]);
        const json = isBatch ? (commands as string[][]).map(reply) : reply(commands as string[]);
        socket.write(jsonResponse(JSON.stringify(json), report ? { "warmline-near": report } : {}));
      };
      const redis = client({ maxStale: 5_000 }, {}, endpoint.url);
      await redis.strlen("x");
      expect(await redis.get("near:a")).toBe(1);
      expect(await redis.get("near:a")).toBe(1);
      expect(await redis.with({ near: "verify" }).get("near:a")).toBe(2);
      passTime(5_001);
      expect(await redis.get("near:a")).toBe(3);
      if (report) return;
      // The first request asks for a report, since the endpoint is not known yet.
      expect(endpoint.requests.slice(1).filter(({ head }) => /warmline-near/i.test(head))).toEqual([]);
      expect(endpoint.count("PTTL")).toBe(1);
    },
  );

  test("a near cache is above middleware, which sees what is not in memory", async () => {
    const redis = client({ maxStale: 5_000 });
    const seen: unknown[] = [];
    redis.use((request, next) => {
      seen.push(request.body);
      return next(request);
    });
    await server.command("SET", "near:a", "1");
    expect(await redis.get("near:a")).toBe(1);
    expect(await redis.get("near:a")).toBe(1);
    expect(seen).toHaveLength(1);
    await redis.set("near:a", 2);
    expect(await redis.get("near:a")).toBe(2);
  });

  test("a lost tracking connection leaves replies by time alone until they are read again", async () => {
    const redis = client({ maxStale: 5_000 });
    await redis.get("near:a");
    for (const line of String(await server.command("CLIENT", "LIST")).split("\n")) {
      if (/flags=\S*t/.test(line)) await server.command("CLIENT", "KILL", "ID", /id=(\d+)/.exec(line)![1]!);
    }
    await server.command("SET", "near:a", "1");
    await expect.poll(() => redis.with({ near: "verify" }).get("near:a")).toBe(1);
    await server.command("SET", "near:a", "2");
    expect(await redis.with({ near: "verify" }).get("near:a")).toBe(2);
  });

  test("options that can't work are refused by name", () => {
    expect(() => near({ match: [] })).toThrow("near: match must not be empty");
    expect(() => near({ match: ["a", "a*b"] })).toThrow(
      'near: match must hold names of keys, and prefixes that end with *, such as flag:*, not "a*b"',
    );
    expect(() => near({ match: "a?" })).toThrow(ConfigError);
    expect(() => near({} as never)).toThrow("such as flag:*, not a value of type undefined");
    expect(() => near({ match: "a", ttl: 1 } as never)).toThrow("near: unknown option ttl");
    const given = { url: gateway.url, token: "main" };
    expect(() => new Redis({ ...given, near: { match: "a" } as never })).toThrow(
      "near must be near() of warmline/near",
    );
    const cache = near(MATCH);
    const redis = new Redis({ ...given, near: cache });
    new Redis({ ...given, near: cache });
    expect(() => new Redis({ ...given, token: "other", near: cache })).toThrow(
      "near: this near cache is that of another url, token or prefix: call near() for each",
    );
    expect(() => redis.with({ near: "never" as never })).toThrow("near must be one of true, false, verify");
    expect(() => new Redis(given).with({ near: "verify" })).toThrow("near needs new Redis({ near })");
  });
});

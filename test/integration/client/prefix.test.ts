import type session from "express-session";
import Keyv from "keyv";
import { beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { cached } from "warmline/cache";
import { Redis as FetchRedis } from "warmline/fetch";
import { idempotent } from "warmline/idempotent";
import { near } from "warmline/near";
import { follow, produce } from "warmline/streams";
import { SessionStore } from "warmline-adapters/express-session";
import { KeyvStore } from "warmline-adapters/keyv";
import { Redis as UpstashRedis } from "warmline-upstash";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { startPlainEndpoint } from "../../support/plain-endpoint.js";
import { describeEngines, realRedis } from "../gateway/engines.js";

// Everything that sends commands, by a client with a prefix: its keys in Redis, as a client without one sees them.

/** A token of the gateway that may use keys and channels with the prefix alone. */
const LIMITED = "limited-to-the-prefix-of-the-client";

describeEngines("a client with a prefix", (setup) => {
  const client = (options: RedisOptions = {}, Client = Redis) =>
    new Client({ url: gateway.url, token: gateway.token, timeout: 10_000, prefix: "app:", ...options });
  const gateway = sharedByTests(() =>
    setup.start({
      token: "of-everything",
      nearPrefix: ["app:flag:"],
      tokens: [{ name: "app", token: LIMITED, prefix: "app:" }],
    }),
  );
  const plain = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
  const redis = sharedByTests(async () => client());
  beforeEach(() => plain.flushall());

  const keys = async () => (await plain.keys("*")).sort();

  test.each([Redis, FetchRedis])("commands, pipelines, transactions, exec() and builders", async (Client) => {
    const own = client({}, Client);
    await own.set("a", 1);
    await Promise.all([own.incr("a"), own.mset({ b: 2, c: 3 })]);
    expect(await own.pipeline().incr("b").mget("a", "b", "none").exec()).toEqual([3, [2, 3, null]]);
    expect(await own.multi().incr("c").exec()).toEqual([4]);
    expect(await own.exec(["INCR", "d"])).toBe(1);
    await own.bitfield("e").set("u8", 0, 255).exec();
    await own.json.set("f", "$", { n: 1 }).catch(() => plain.set("app:f", 1));
    await own.with({ codec: "bytes" }).set(new Uint8Array([0x67, 0xff]), new Uint8Array([0xff]));
    expect(await keys()).toEqual(["app:a", "app:b", "app:c", "app:d", "app:e", "app:f", "app:g\ufffd"]);
    expect(await plain.mget("app:a", "app:b", "app:c", "app:d")).toEqual([2, 3, 4, 1]);
    expect(await own.update<number>("a", (n) => n! + 1)).toBe(3);
    expect(await plain.get("app:a")).toBe(3);
  });

  test("patterns and replies of SCAN and KEYS, and names in other replies, are those of Redis", async () => {
    await redis.set("k:1", 1);
    await plain.set("other", 1);
    expect((await redis.keys("*")).sort()).toEqual(["app:k:1", "other"]);
    expect(await redis.keys("k:*")).toEqual([]);
    const found: string[] = [];
    for await (const key of redis.scanIterator({ match: `${redis.keyPrefix}k:*` }))
      found.push(key.slice(redis.keyPrefix!.length));
    expect(found).toEqual(["k:1"]);
    await redis.unlink(...found);
    expect(await keys()).toEqual(["other"]);
    await redis.xadd("s", "1-1", { a: 1 });
    expect(await redis.xread("s", "0")).toEqual([["app:s", [["1-1", ["a", 1]]]]]);
  });

  test("channels are not keys", async () => {
    const subscriber = redis.subscribe("channel");
    const message = new Promise((resolve) => subscriber.on("message", resolve));
    await new Promise((resolve) => subscriber.on("subscribe", resolve));
    await plain.publish("channel", "hello");
    expect(await message).toMatchObject({ channel: "channel", message: "hello" });
    await subscriber.unsubscribe();
  });

  test("exactly-once writes, their tokens, and idempotent functions", async () => {
    const once = redis.with({ writes: "exactly-once" });
    await once.incr("n");
    await once.publish("channel", "m");
    await once.multi().incr("n").get("n").keys("*").exec();
    const scoped = () => redis.with({ writes: "exactly-once", scope: "event 1", strict: true });
    expect([await scoped().incr("n"), await scoped().incr("n")]).toEqual([3, 3]);
    await expect(scoped().incr("other")).rejects.toMatchObject({ code: "OTHERPATH" });
    const run = () => idempotent(redis, "job", async (guarded) => (await guarded.incr("m")) * 10);
    expect([await run(), await run()]).toEqual([10, 10]);
    const names = await keys();
    expect(names.filter((name) => !name.startsWith("app:"))).toEqual([]);
    expect(names).toEqual(expect.arrayContaining(["app:n", "app:job", "app:event 1:wl:path"]));
  });

  test("cached functions", async () => {
    let runs = 0;
    const options = { key: (id: string) => id, fresh: 60, tags: (_: string, id: string) => [`tag ${id}`] };
    const load = cached(redis, "user", async (id: string) => `${id} ${++runs}`, options);
    expect([await load("a"), await load("a")]).toEqual(["a 1", "a 1"]);
    await load.deleteTag("tag a");
    expect(await load("a")).toBe("a 2");
    await load.delete("a");
    expect(await load("a")).toBe("a 3");
    expect(await keys()).toEqual(["app:user:cached", "app:user:cached:a"]);
  });

  test("streams, by event streams and by reading again and again", async () => {
    const endpoint = forTest(await startPlainEndpoint(gateway));
    for (const url of [gateway.url, endpoint.url]) {
      await plain.flushall();
      const own = client({ url });
      await own.ping();
      const writer = produce(own, "log", { ttl: 60 }).getWriter();
      await writer.write("part");
      await writer.close();
      const parts: unknown[] = [];
      for await (const { fields } of follow(own, "log")) parts.push(fields.data);
      expect(parts).toEqual(["part"]);
      expect((await keys()).filter((name) => !name.startsWith("app:log"))).toEqual([]);
    }
  });

  test("a near cache matches keys without the prefix, and drops what is changed", async () => {
    const cache = near({ match: "flag:*", maxStale: 60_000 });
    const own = client({ near: cache });
    await plain.set("app:flag:a", 1);
    expect([await own.get("flag:a"), await own.get("flag:a")]).toEqual([1, 1]);
    expect(cache.stats).toMatchObject({ hits: 1, misses: 1 });
    await own.set("flag:a", 2);
    expect(await own.get("flag:a")).toBe(2);
    expect(cache.stats.dropped).toBe(1);
    // The embedded engine reports no changes.
    if (setup.name === realRedis.name) {
      await plain.set("app:flag:a", 3);
      // The report of the change comes with the response to any request.
      await expect.poll(() => own.strlen("other").then(() => own.get("flag:a"))).toBe(3);
      expect(cache.stats.invalidated).toBe(1);
    }
    for (const prefix of [undefined, "other:"])
      expect(() => client({ near: cache, prefix })).toThrow("is that of another url, token or prefix");
    expect(() => client({ near: cache })).not.toThrow();
  });

  test("middleware and traces see what is sent, and what middleware sends itself gets no prefix", async () => {
    const own = client();
    const bodies: unknown[] = [];
    own.use((request, next) => {
      bodies.push(request.body);
      return next(request);
    });
    await own.set("k", 1);
    await own.pipeline().get("k").exec();
    expect(bodies).toEqual([["SET", "app:k", "1"], [["GET", "app:k"]]]);
    const args: unknown[] = [];
    const hook = (trace: { args?: readonly unknown[] | undefined }) => {
      if (trace.args) args.push(...trace.args);
      return undefined;
    };
    await client({ tracing: { args: true, hook } }).get("k");
    expect(args).toEqual(["app:k"]);
    own.use((_request, next) => next({ body: ["SET", "itself", "1"] }));
    await own.get("k");
    expect(await keys()).toEqual(["app:k", "itself"]);
  });

  test("adapters find and remove their keys, and no others", async () => {
    await plain.mset({ "keyv:ns:x": 1, "session:y": 1, "app:other": 1 });
    const keyv = new Keyv({ store: new KeyvStore(redis), namespace: "ns" });
    await keyv.set("a", { n: 1 });
    const entries: unknown[] = [];
    for await (const entry of keyv.iterator!(undefined)) entries.push(entry);
    expect(entries).toEqual([["a", { n: 1 }]]);
    const sessions = new SessionStore(redis);
    const data = {
      cookie: { originalMaxAge: 60_000, expires: new Date(Date.now() + 60_000) },
    } as session.SessionData;
    const call = (run: (done: (error: unknown, value?: unknown) => void) => void) =>
      new Promise((resolve, reject) => run((error, value) => (error ? reject(error) : resolve(value))));
    await call((done) => sessions.set("1", data, done));
    expect(await call((done) => sessions.length(done))).toBe(1);
    expect(await keys()).toEqual(["app:keyv:ns:a", "app:other", "app:session:1", "keyv:ns:x", "session:y"]);
    await keyv.clear();
    await call((done) => sessions.clear(done));
    expect(await keys()).toEqual(["app:other", "keyv:ns:x", "session:y"]);
  });

  test("a token that is limited to the prefix may do all of it, but for scripts", async () => {
    const own = client({ token: LIMITED, writes: "exactly-once" });
    await own.multi().set("a", 1).incr("a").exec();
    expect(await own.publish("app:channel", "m")).toBe(0);
    expect(await idempotent(own, "job", (guarded) => guarded.incr("n"))).toBe(1);
    const writer = produce(own, "log").getWriter();
    await writer.write("part");
    await writer.close();
    for await (const { fields } of follow(own, "log")) expect(fields.data).toBe("part");
    expect(await own.pipeline().get("a").get("n").exec()).toEqual([2, 1]);
  });

  test("a client of warmline-upstash", async () => {
    const own = new UpstashRedis({ url: gateway.url, token: gateway.token, prefix: "app:" });
    await own.pipeline().set("k", 1).exec();
    expect(await keys()).toEqual(["app:k"]);
  });
});

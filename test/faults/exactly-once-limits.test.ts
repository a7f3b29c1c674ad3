import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions, TimeoutError } from "warmline";
import {
  carries,
  loseReply,
  onRequest,
  type Path,
  type RedisCluster,
  type RedisServer,
  redisAvailable,
  startCluster,
  startPath,
  startRedis,
} from "warmline-testbed";
import { createGateway, type Gateway } from "../../gateway/src/index.js";
import { once } from "../../src/once/once.js";
import { slotOf } from "../support/slot.js";

// Where an exactly-once write meets the edges of its promise: memory, time, a first copy that comes late, a cluster.

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!redisAvailable())("on a real Redis", () => {
  let server: RedisServer;
  let gateway: Gateway;
  let path: Path;
  beforeAll(async () => {
    server = await startRedis({ listen: "tcp" });
    gateway = await createGateway({ redis: server.url, port: 0 });
  });
  afterAll(async () => {
    await gateway?.close();
    await server?.stop();
  });
  beforeEach(async () => {
    path = await startPath({ to: { port: Number(new URL(gateway.url).port) } });
    await direct().flushall();
  });
  afterEach(() => path.close());

  const direct = () => new Redis({ url: gateway.url, token: gateway.token });
  const client = (options: RedisOptions = {}) =>
    new Redis({
      url: path.url,
      token: gateway.token,
      writes: "exactly-once",
      retry: { retries: 8, backoff: () => 1 },
      ...options,
    });

  test("a server out of memory refuses before anything has happened, also what frees memory", async () => {
    await direct().rpush("list", "a", "b");
    await direct().set("n", 1);
    await server.command("CONFIG", "SET", "maxmemory", "1");
    try {
      await expect(client().incr("n")).rejects.toMatchObject({ code: "OOM" });
      await expect(client().lpop("list")).rejects.toMatchObject({ code: "OOM" });
      expect(await direct().get("n")).toBe(1);
      expect(await direct().lrange("list", 0, -1)).toEqual(["a", "b"]);
    } finally {
      await server.command("CONFIG", "SET", "maxmemory", "0");
    }
  });

  test("no repeat is sent once the first reply may have been forgotten", async () => {
    path.onConnection(() => onRequest(carries("INCR"), loseReply({ leave: "open" })));
    const begun = performance.now();
    await expect(client({ replyLifetime: 300 }).incr("n")).rejects.toBeInstanceOf(TimeoutError);
    expect(performance.now() - begun).toBeLessThan(1_000);
    await pause(400);
    expect(await direct().get("n")).toBe(1);
    expect(await direct().keys("*")).toEqual(["n"]);
  });

  test("a first copy that comes after its repeat and after another client's write changes nothing", async () => {
    let arrive = () => {};
    path.onConnection((number) =>
      number === 1
        ? onRequest(carries("mine"), {
            request(link, exchange) {
              arrive = () => link.toServer(exchange.request);
              link.resetClient();
            },
          })
        : undefined,
    );
    expect(await client().set("k", "mine")).toBe("OK");
    await direct().set("k", "other");
    arrive();
    await pause(100);
    expect(await direct().get("k")).toBe("other");
  });
});

describe.skipIf(!redisAvailable())("on a real cluster", () => {
  let cluster: RedisCluster;
  beforeAll(async () => {
    cluster = await startCluster();
  });
  afterAll(() => cluster?.stop());

  test.each(["k", "a}b", "{}", "", "foo{}{bar}", "{a}b{c}", "}{", "{{", "é{ü}", "a{b", "x".repeat(300)])(
    "the token of key %j lives where the key does, and a repeat gives the first reply",
    async (key) => {
      const slot = slotOf(new TextEncoder().encode(key));
      expect(await cluster.nodes[0]!.command("CLUSTER", "KEYSLOT", key)).toBe(slot);
      const ranges = (await cluster.nodes[0]!.command("CLUSTER", "SLOTS")) as [
        number,
        number,
        [string, number],
      ][];
      const [, , [, port]] = ranges.find(([from, to]) => from <= slot && slot <= to)!;
      const owner = cluster.nodes.find((node) => node.port === Number(port))!;
      await owner.command("DEL", key);
      const words = once(["INCR", key], 60_000, false) as string[];
      const [first, ...rest] = words;
      expect(await owner.command(first!, ...rest)).toBe(1);
      expect(await owner.command(first!, ...rest)).toBe(1);
      expect(await owner.command("GET", key)).toBe("1");
    },
  );
});

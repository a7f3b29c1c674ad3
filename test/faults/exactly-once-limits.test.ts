import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { Redis, type RedisOptions, TimeoutError } from "warmline";
import {
  carries,
  loseReply,
  onRequest,
  slotOf,
  startCluster,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { createGateway } from "../../gateway/src/index.js";
import { wrapInIdempotencyScript } from "../../src/execution/exactly-once/guard.js";
import { forEachTest, sharedByTests } from "../support/lifetime.js";

// Exactly-once writes at the limits of their guarantee: memory, time, a first copy that arrives late, a cluster.

describe("on a real Redis", { tags: "redis-server" }, () => {
  const server = sharedByTests(() => startRedis({ listen: "tcp" }));
  const gateway = sharedByTests(() => createGateway({ redis: server.url, port: 0 }));
  const path = forEachTest(() => startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
  beforeEach(() => direct().flushall());

  const direct = () => new Redis({ url: gateway.url, token: gateway.token });
  const client = (options: RedisOptions = {}) =>
    new Redis({
      url: path.url,
      token: gateway.token,
      writes: "exactly-once",
      retry: { retries: 8, backoff: () => 1 },
      ...options,
    });

  test("a server out of memory refuses before anything has run, also commands that free memory", async () => {
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

  test("a repeat delivered after the call has ended returns the first reply", async () => {
    // The bytes that had come from the gateway before the repeat was delivered.
    let before = Number.POSITIVE_INFINITY;
    path.onConnection((number) =>
      number === 1
        ? onRequest(carries("INCR"), loseReply())
        : onRequest(carries("INCR"), {
            request(connection, { request }) {
              connection.blackhole();
              setTimeout(() => {
                before = Math.min(before, path.bytes.fromServer);
                connection.toServer(request);
              }, 3_500);
            },
          }),
    );
    // The shortest lifetime that is allowed: the second repeat is sent shortly before the call ends.
    const redis = client({
      timeout: 1_500,
      exactlyOnceTtl: 11_500,
      retry: { retries: 2, backoff: () => 400 },
    });
    await expect(redis.incr("n")).rejects.toBeInstanceOf(TimeoutError);
    // The response to the delivered repeat, which reaches no client.
    await expect.poll(() => path.bytes.fromServer > before).toBe(true);
    expect(await direct().get("n")).toBe(1);
    const [token] = await direct().keys("n:wl:*");
    expect(await direct().pttl(token!)).toBeGreaterThan(5_000);
  });

  test("processes cloned with the same random state draw different tokens", async () => {
    const url = new URL("../../dist/index.js", import.meta.url);
    const program = `
      let next = 0;
      Crypto.prototype.getRandomValues = (array) => array.map(() => ++next);
      const { Redis } = await import(${JSON.stringify(url)});
      const redis = new Redis({ url: process.env.URL, token: process.env.TOKEN, writes: "exactly-once" });
      const replies = [];
      for (let i = 0; i < 3; i++) replies.push(await redis.incr("n"));
      console.log(JSON.stringify(replies));`;
    const env = { ...process.env, URL: gateway.url, TOKEN: gateway.token };
    const run = promisify(execFile);
    const clones = [1, 2].map(() => run(process.execPath, ["--input-type=module", "-e", program], { env }));
    const replies = (await Promise.all(clones)).flatMap(({ stdout }) => JSON.parse(stdout) as number[]);
    expect(replies.sort()).toEqual([1, 2, 3, 4, 5, 6]);
    expect(await direct().keys("n:wl:*")).toHaveLength(6);
  });

  test("a first copy that arrives after its repeat and another client's write changes nothing", async () => {
    let arrive = () => {};
    path.onConnection((number) =>
      number === 1
        ? onRequest(carries("mine"), {
            request(connection, exchange) {
              arrive = () => connection.toServer(exchange.request);
              // Not a reset, which ends the way to the server too: the first copy has to arrive.
              connection.blackhole();
            },
          })
        : undefined,
    );
    expect(await client().set("k", "mine")).toBe("OK");
    await direct().set("k", "other");
    const { fromServer } = path.bytes;
    arrive();
    // The response to the first copy, which reaches no client.
    await expect.poll(() => path.bytes.fromServer).toBeGreaterThan(fromServer);
    expect(await direct().get("k")).toBe("other");
  });
});

describe("on a real cluster", { tags: "redis-server" }, () => {
  const cluster = sharedByTests(() => startCluster());

  const keys = ["k", "a}b", "{}", "", "foo{}{bar}", "{a}b{c}", "}{", "{{", "é{ü}", "a{b", "x".repeat(300)];
  test.each(keys)("the token of key %j is in its slot, and a repeat returns the first reply", async (key) => {
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
    const args = wrapInIdempotencyScript(["INCR", key], 60_000, false) as string[];
    const [first, ...rest] = args;
    expect(await owner.command(first!, ...rest)).toBe(1);
    expect(await owner.command(first!, ...rest)).toBe(1);
    expect(await owner.command("GET", key)).toBe("1");
  });
});

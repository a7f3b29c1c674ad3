import { describe, expect, onTestFinished, test } from "vitest";
import { connectRedis, startCluster, startRedis, startSentinels } from "warmline-testbed";
import type { Gateway, GatewayOptions } from "../../gateway/src/index.js";
import { call, run } from "../integration/gateway/http.js";
import { listen } from "../integration/subscribe/listen.js";
import { forTest } from "../support/lifetime.js";
import { gatewayAt, transaction, until } from "./support.js";

const IDLE = 1_000;

/** Returns how many connections the servers have beyond those before the test. */
type Count = () => Promise<number>;

/** Makes a function that counts the connections to these servers beyond those they have now. */
async function counterOf(ports: readonly number[]): Promise<Count> {
  const connections = await Promise.all(ports.map((port) => connectRedis({ port })));
  onTestFinished(() => {
    for (const connection of connections) connection.close();
  });
  const total = async () => {
    const lists = await Promise.all(
      connections.map(({ command }) => command("CLIENT", "LIST", "TYPE", "normal")),
    );
    const pubsub = await Promise.all(
      connections.map(({ command }) => command("CLIENT", "LIST", "TYPE", "pubsub")),
    );
    // Sentinels connect to each other, and to the primary, as they find each other.
    const isOfOthers = (line: string) => line.startsWith("id=") && !line.includes(" name=sentinel-");
    return [...lists, ...pubsub].flatMap((list) => String(list).split("\n").filter(isOfOthers)).length;
  };
  const before = await total();
  return async () => (await total()) - before;
}

async function single(): Promise<{ url: string; ports: number[] }> {
  const redis = forTest(await startRedis({ listen: "tcp" }));
  return { url: redis.url, ports: [redis.port!] };
}

async function start(redis: string, options: Partial<GatewayOptions> = {}): Promise<Gateway> {
  const gateway = await gatewayAt(redis, {
    nearPrefix: ["near:"],
    redisIdleTimeout: IDLE,
    logLevel: "silent",
    ...options,
  });
  onTestFinished(() => gateway.close());
  return gateway;
}

/** Uses every kind of connection, and counts them while one is in use. */
async function useAll(gateway: Gateway, count: Count): Promise<void> {
  expect(await run(gateway, "INCR", "n")).toBeTypeOf("number");
  expect((await transaction(gateway, [["INCR", "n"]])).status).toBe(200);
  expect(await run(gateway, "BLPOP", "none", "0.01")).toBeNull();
  const stream = await listen(gateway, "/subscribe/events");
  await expect.poll(() => stream.text).toContain("subscribe,events");
  expect(await count()).toBeGreaterThan(0);
  stream.close();
}

const isAsleep = async (gateway: Gateway) => {
  const { status, json } = await call(gateway, "/ready");
  if (json.redis === undefined) return false;
  expect([status, json]).toEqual([200, { status: "ready", redis: "not connected: there were no commands" }]);
  return true;
};

describe("a Redis that may sleep", { tags: "redis-server" }, () => {
  test.each([
    ["one server", single],
    [
      "a cluster",
      async () => {
        const cluster = forTest(await startCluster());
        return { url: cluster.url, ports: cluster.nodes.map(({ port }) => port) };
      },
    ],
    [
      "a primary with Sentinels",
      async () => {
        const group = forTest(await startSentinels());
        const [first] = group.url.replace("redis+sentinel:", "http:").split(",");
        return { url: group.url, ports: [group.primary.port, Number(new URL(first!).port)] };
      },
    ],
  ])("%s has no connection after a time without commands, in spite of health checks", async (_, servers) => {
    const { url, ports } = await servers();
    const count = await counterOf(ports);
    const gateway = await start(url);
    for (let round = 0; round < 2; round++) {
      await useAll(gateway, count);
      // Asks /ready all the time.
      await until(() => isAsleep(gateway));
      await expect.poll(count).toBe(0);
      // Presence, tracking of changes and the topology would have connected by then.
      await new Promise((resolve) => setTimeout(resolve, 1.5 * IDLE));
      expect(await count()).toBe(0);
    }
  });

  test("without a command no connection is ever opened with redisLazy, and the first one connects", async () => {
    const { url, ports } = await single();
    const count = await counterOf(ports);
    const gateway = await start(url, { redisLazy: true });
    expect(await isAsleep(gateway)).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect(await count()).toBe(0);
    expect(await run(gateway, "SET", "k", "v")).toBe("OK");
    expect(await count()).toBeGreaterThan(0);
    expect((await call(gateway, "/ready")).json).toEqual({ status: "ready" });
  });

  test("a command that waits and an open event stream are uses", async () => {
    const { url } = await single();
    const gateway = await start(url);
    const popped = run(gateway, "BLPOP", "list", 10);
    const stream = await listen(gateway, "/subscribe/events");
    await new Promise((resolve) => setTimeout(resolve, 2.5 * IDLE));
    expect(await isAsleep(gateway)).toBe(false);
    expect(await run(gateway, "PUBLISH", "events", "hello")).toBe(1);
    await run(gateway, "RPUSH", "list", "v");
    expect(await popped).toEqual(["list", "v"]);
    await expect.poll(() => stream.text).toContain("hello");
    stream.close();
    await until(() => isAsleep(gateway));
  });

  test("after a sleep no numbers are offered at first", async () => {
    const { url } = await single();
    const gateway = await start(url);
    const instance = async () => (await call(gateway, "/get/k")).headers["warmline-instance"];
    await until(async () => (await instance()) !== undefined);
    await until(() => isAsleep(gateway));
    // The headers of responses are renewed once a second.
    await expect.poll(instance, { timeout: 2_000 }).toBeUndefined();
  });
});

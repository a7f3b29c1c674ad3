import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { type FollowedEntry, follow, GapError, produce } from "warmline/streams";
import {
  closeBeforeReply,
  freePorts,
  loseReply,
  onRequest,
  type RedisServer,
  startInstance,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { createGateway, type Gateway } from "../../gateway/src/index.js";
import { startEngineServer } from "../support/engine-server.js";
import { forTest } from "../support/lifetime.js";
import { startPlainEndpoint } from "../support/plain-endpoint.js";
import { pause } from "./support/rig.js";

// Followers of a stream under faults: lost connections, restarts, a freeze.

const HANDLER = fileURLToPath(new URL("handlers/follow.mjs", import.meta.url));

const clientOf = (gateway: Gateway, url = gateway.url) =>
  new Redis({ url, token: gateway.token, timeout: 10_000 });

/** Collects the values of the field `n` until the producer closes the stream. */
async function collect(entries: AsyncIterable<FollowedEntry>, seen: unknown[] = []): Promise<unknown[]> {
  for await (const { fields } of entries) seen.push(fields.n);
  return seen;
}

const numbers = (count: number) => Array.from({ length: count }, (_, n) => n + 1);

/** Writes `count` numbers, one every few ms, and closes the stream. */
async function writeNumbers(redis: Redis, key: string, count: number, onWritten?: (n: number) => unknown) {
  const writer = produce(redis, key).getWriter();
  for (const n of numbers(count)) {
    await writer.write({ n });
    await pause(2);
    await onWritten?.(n);
  }
  await writer.close();
}

describe("a follower", () => {
  const start = async () => startOn(await startEngineServer());
  const startReal = async (...flags: string[]) => startOn(await startRedis({ listen: "tcp", flags }));
  async function startOn<Server extends Pick<RedisServer, "url" | "stop">>(server: Server) {
    forTest(server);
    const port = (await freePorts(1))[0]!;
    const gateway = forTest(await createGateway({ redis: server.url, port }));
    const path = forTest(await startNetworkProxy({ to: { port } }));
    return { server, gateway, path, port };
  }

  test("gets every entry once and in order while its connections are reset", async () => {
    const { gateway, path } = await start();
    const collected = collect(follow(clientOf(gateway, path.url), "log"));
    await writeNumbers(clientOf(gateway), "log", 200, async (n) => {
      if (n % 20 > 0) return;
      const opened = path.connectionsOpened;
      for (const connection of path.connections) connection.resetClient();
      await expect.poll(() => path.connectionsOpened).toBeGreaterThan(opened);
    });
    expect(await collected).toEqual(numbers(200));
  });

  test("polls an endpoint without /follow, and gets every entry once and in order while connections are lost", {
    tags: "redis-server",
  }, async () => {
    const { gateway } = await startReal();
    const plain = forTest(await startPlainEndpoint(gateway));
    const path = forTest(await startNetworkProxy({ to: { port: plain.port } }));
    // Each connection after the first loses the response to its second request, or the request.
    path.onConnection((number) =>
      number === 1
        ? undefined
        : onRequest(2, number % 2 ? loseReply() : closeBeforeReply({ deliver: false })),
    );
    const redis = new Redis({ url: path.url, token: gateway.token, retry: false });
    const seen: unknown[] = [];
    const collected = collect(follow(redis, "log"), seen);
    await writeNumbers(clientOf(gateway), "log", 300, (n) => {
      // A follower that gets no first page fails.
      if (n % 40 === 0 && seen.length > 0)
        for (const connection of path.connections) connection.resetClient();
    });
    expect(await collected).toEqual(numbers(300));
    expect(path.connectionsOpened).toBeGreaterThan(5);
  });

  test("continues when the gateway restarts", async () => {
    const { server, gateway, port } = await start();
    const seen: unknown[] = [];
    const options = { redis: server.url, token: gateway.token };
    const collected = collect(follow(clientOf(gateway), "log"), seen);
    const direct = forTest(await createGateway({ ...options, port: 0 }));
    const redis = clientOf(direct);
    await writeNumbers(redis, "log", 60, async (n) => {
      if (n === 20) await expect.poll(() => seen.length).toBe(20);
      if (n === 20) await gateway.close();
      if (n === 40) {
        forTest(await createGateway({ ...options, port }));
      }
    });
    expect(await collected).toEqual(numbers(60));
  });

  test("continues when Redis restarts with its data", { tags: "redis-server" }, async () => {
    const { server, gateway } = await startReal("--appendonly", "yes", "--appendfsync", "always");
    const redis = new Redis({ url: gateway.url, token: gateway.token, retry: { retries: 100 } });
    const seen: unknown[] = [];
    const collected = collect(follow(redis, "log"), seen);
    await writeNumbers(redis, "log", 40, async (n) => {
      if (n !== 20) return;
      await expect.poll(() => seen.length).toBe(20);
      await server.kill();
      await server.restart();
    });
    expect(await collected).toEqual(numbers(40));
  });

  test("throws GapError when Redis restarts without its data", { tags: "redis-server" }, async () => {
    const { server, gateway } = await startReal();
    const redis = clientOf(gateway);
    const seen: unknown[] = [];
    const collected = collect(follow(redis, "log"), seen);
    await redis.xadd("log", "*", { n: 1 });
    await expect.poll(() => seen).toEqual([1]);
    // It may reject before the server is known to be back.
    collected.catch(() => {});
    await server.kill();
    await server.restart();
    await expect(collected).rejects.toThrow(GapError);
  });

  test("reopens its stream after a freeze, during which the network has forgotten the connection", async () => {
    const { gateway, path } = await start();
    const env = { WARMLINE_URL: path.url, WARMLINE_TOKEN: gateway.token };
    const instance = forTest(await startInstance({ handler: HANDLER, timeoutMs: 20_000, env }));
    const redis = clientOf(gateway);
    const result = instance.invoke("log");
    await redis.xadd("log", "*", { n: 1 });
    // The stream has begun.
    await expect.poll(() => path.bytes.fromServer).toBeGreaterThan(0);
    await pause(300);
    await instance.freeze();
    path.blackholeAll();
    await writeNumbers(redis, "log", 3);
    await pause(3_500);
    const thawed = performance.now();
    await instance.thaw();
    expect(await result).toMatchObject({ result: [1, 1, 2, 3] });
    expect(performance.now() - thawed).toBeLessThan(3_000);
  });
});

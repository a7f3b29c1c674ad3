import { afterEach, beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions, TimeoutError } from "warmline";
import { RawEndpoint, resp2Response } from "../support/endpoint.js";

// Many connections, few connections, and connections that never come to be.

let endpoint: RawEndpoint;
beforeEach(async () => {
  endpoint = await RawEndpoint.start();
  endpoint.onRequest = ({ socket }) => socket.write(resp2Response(":1\r\n"));
});
afterEach(async () => {
  client().close();
  await endpoint.stop();
});

const client = (options: RedisOptions = {}) =>
  new Redis({ url: endpoint.url, token: "t", enableAutoPipelining: false, ...options });
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const untilDoubtful = () => pause(1_100);

/** Opens so many connections, all of them idle afterwards. */
async function openIdle(count: number, redis: Redis): Promise<void> {
  endpoint.onRequest = ({ socket }) => {
    if (endpoint.requests.length === count) {
      for (const request of endpoint.requests) request.socket.write(resp2Response(":1\r\n"));
    } else if (endpoint.requests.length > count) socket.write(resp2Response(":1\r\n"));
  };
  await Promise.all(Array.from({ length: count }, () => redis.strlen("k")));
  expect(endpoint.connections).toBe(count);
}

test.each(["reset", "forgotten"])(
  "one fresh connection is enough after a dozen idle ones were %s",
  async (how) => {
    const redis = client({ retry: false });
    await openIdle(12, redis);
    endpoint.onRequest = ({ socket, connection }) => {
      if (connection > 12) socket.write(resp2Response(":1\r\n"));
      else if (how === "reset") socket.resetAndDestroy();
    };
    await untilDoubtful();
    const begun = performance.now();
    expect(await redis.strlen("k")).toBe(1);
    expect(await redis.incr("n")).toBe(1);
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(endpoint.connections).toBe(13);
    expect(endpoint.count("INCR")).toBe(1);
  },
);

test.each(["strlen", "incr"] as const)(
  "%s gets its reply on another connection when the only one allowed was dropped",
  async (command) => {
    const redis = client({ maxConnections: 1 });
    await redis.strlen("k");
    endpoint.onRequest = ({ socket, connection }) => connection > 1 && socket.write(resp2Response(":1\r\n"));
    await untilDoubtful();
    const begun = performance.now();
    expect(await redis[command]("n")).toBe(1);
    expect(performance.now() - begun).toBeLessThan(2_500);
    expect(endpoint.count("INCR")).toBe(command === "incr" ? 1 : 0);
  },
);

test("slow commands open no more connections than allowed", async () => {
  const redis = client({ maxConnections: 2 });
  endpoint.onRequest = ({ socket }) => setTimeout(() => socket.write(resp2Response(":1\r\n")), 1_300);
  await Promise.all([1, 2, 3, 4].map(() => redis.strlen("k")));
  expect(endpoint.connections).toBe(2);
});

test("a call keeps trying while the network drops its connection and refuses the next", async () => {
  const redis = client({ timeout: 5_000 });
  await redis.strlen("k");
  endpoint.onConnection = (socket, connection) => connection < 3 && socket.resetAndDestroy();
  endpoint.onRequest = ({ socket, connection }) => connection > 2 && socket.write(resp2Response(":1\r\n"));
  await untilDoubtful();
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.count("INCR")).toBe(1);
});

test("a read on a dropped connection is sent again when the fresh one breaks too", async () => {
  const redis = client({ timeout: 5_000 });
  await redis.strlen("k");
  endpoint.onRequest = ({ socket, connection }) => {
    if (connection === 2) socket.resetAndDestroy();
    else if (connection > 2) socket.write(resp2Response(":1\r\n"));
  };
  await untilDoubtful();
  expect(await redis.strlen("k")).toBe(1);
});

test("hanging connects do not use up the pool: every command opens a new one", async () => {
  // To a TLS client: a server that never sends a byte of the handshake.
  endpoint.onRequest = () => {};
  const redis = client({ url: endpoint.url.replace("http:", "https:"), maxConnections: 2, timeout: 1_600 });
  for (let i = 1; i <= 4; i++) {
    const before = endpoint.connections;
    await expect(redis.incr("n")).rejects.toBeInstanceOf(TimeoutError);
    expect(endpoint.connections).toBeGreaterThan(before);
  }
  redis.close();
});

import { afterEach, beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { RawEndpoint, resp2Response } from "../support/endpoint.js";

// Connections that were idle for so long that a middlebox may have dropped them.

let endpoint: RawEndpoint;
beforeEach(async () => {
  endpoint = await RawEndpoint.start();
  endpoint.onRequest = ({ socket }) => socket.write(resp2Response(":1\r\n"));
});
afterEach(async () => {
  client().close();
  await endpoint.stop();
});

const client = (options: RedisOptions = {}) => new Redis({ url: endpoint.url, token: "t", ...options });
const idle = () => new Promise((resolve) => setTimeout(resolve, 1_100));

/** Drops all bytes of connection 1 from now on, as after a middlebox has dropped the flow. */
function forgetFirst() {
  endpoint.onRequest = ({ socket, connection }) => connection > 1 && socket.write(resp2Response(":1\r\n"));
}

test("a suspect connection that works carries a read at once, and a write after a probe", async () => {
  const redis = client();
  await redis.strlen("k");
  await idle();
  await redis.strlen("k");
  expect(endpoint.count("PING")).toBe(0);
  await idle();
  await redis.incr("n");
  expect(endpoint.count("PING")).toBe(1);
  expect(endpoint.connections).toBe(1);
});

test("a read on a dropped connection gets its reply on a fresh one", async () => {
  const redis = client();
  await redis.strlen("k");
  forgetFirst();
  await idle();
  const begun = performance.now();
  expect(await redis.strlen("k")).toBe(1);
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(endpoint.connections).toBe(2);
  expect(redis.stats().closed).toBe(1);
});

test("a write after a dropped connection is written once, on a fresh one", async () => {
  const redis = client();
  await redis.strlen("k");
  forgetFirst();
  await idle();
  const begun = performance.now();
  expect(await redis.incr("n")).toBe(1);
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(endpoint.count("INCR")).toBe(1);
  expect(endpoint.requests.find(({ body }) => body.includes("INCR"))?.connection).toBe(2);
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.connections).toBe(2);
});

test("a write after a reset at the first byte is written once, on a fresh connection", async () => {
  const redis = client();
  await redis.strlen("k");
  endpoint.onRequest = ({ socket, connection }) => {
    if (connection === 1) socket.resetAndDestroy();
    else socket.write(resp2Response(":1\r\n"));
  };
  await idle();
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.count("INCR")).toBe(1);
});

test("the first response of a slow connection counts, and the write is not repeated", async () => {
  const redis = client();
  await redis.strlen("k");
  endpoint.onRequest = ({ socket }) => setTimeout(() => socket.write(resp2Response(":1\r\n")), 100);
  await idle();
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.count("INCR")).toBe(1);
  await idle();
  expect(await redis.strlen("k")).toBe(1);
});

test("several commands at once on a dropped connection all settle", async () => {
  const redis = client({ enableAutoPipelining: false });
  await redis.strlen("k");
  forgetFirst();
  await idle();
  const replies = await Promise.all([redis.incr("a"), redis.strlen("b"), redis.incr("c"), redis.strlen("d")]);
  expect(replies).toEqual([1, 1, 1, 1]);
  expect(endpoint.count('"a"')).toBe(1);
  expect(endpoint.count('"c"')).toBe(1);
});

test("a pre-opened connection that is dropped before its first use loses no command", async () => {
  endpoint.onRequest = ({ socket, connection }) => connection > 1 && socket.write(resp2Response(":1\r\n"));
  const redis = client();
  await redis.ready();
  await idle();
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.count("INCR")).toBe(1);
});

test("a pre-opened connection carries the first command", async () => {
  const redis = client({ preconnect: true });
  await redis.ready();
  expect(endpoint.connections).toBe(1);
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.connections).toBe(1);
});

test.each([
  ["429", "-ERR slow down\r\n", "429 Too Many"],
  ["LOADING", "-LOADING Redis is loading\r\n", "400 Bad Request"],
  ["a 503 of a gateway that sent nothing", "-ERR no room\r\n", "503 Service Unavailable"],
])(
  "a repeatable write that gets %s on the fresh connection may have been applied on the dropped one",
  async (_what, reply, status) => {
    const redis = client({ writes: "exactly-once", retry: { retries: 1, backoff: () => 1 } });
    await redis.strlen("k");
    endpoint.onRequest = ({ socket, connection }) =>
      connection > 1 && socket.write(resp2Response(reply, { "warmline-outcome": "unsent" }, status));
    await idle();
    await expect(redis.incr("n")).rejects.toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown" });
    expect(new Set(endpoint.requests.slice(1).map(({ connection }) => connection))).toEqual(new Set([1, 2]));
  },
);

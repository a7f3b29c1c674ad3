import { afterEach, beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { RawEndpoint, resp2Response } from "../support/endpoint.js";

// Connections that were idle for so long that a middlebox may have dropped them, in real time; test/unit/transport/pool.test.ts
// has the rules one by one.

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

test("a suspect connection carries an exactly-once write at once, without a probe", async () => {
  const redis = client({ writes: "exactly-once" });
  await redis.strlen("k");
  await idle();
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.requests.map(({ body }) => body.includes("INCR"))).toEqual([false, true]);
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

test("a pre-opened connection carries the first command", async () => {
  const redis = client({ preconnect: true });
  await redis.ready();
  expect(endpoint.connections).toBe(1);
  expect(await redis.incr("n")).toBe(1);
  expect(endpoint.connections).toBe(1);
});

import { expect, test } from "vitest";
import { useEndpoint } from "./support/silent-connection.js";

// Connections that were idle for so long that a middlebox may have dropped them, in real time; test/unit/transport/pool.test.ts
// has the rules one by one.

const used = useEndpoint();
const { client, silenceFirst } = used;
const idle = () => new Promise((resolve) => setTimeout(resolve, 1_100));

test("a suspect connection that works carries a read at once, and a write after a probe", async () => {
  const redis = client();
  await redis.strlen("k");
  await idle();
  await redis.strlen("k");
  expect(used.endpoint.count("PING")).toBe(0);
  await idle();
  await redis.incr("n");
  expect(used.endpoint.count("PING")).toBe(1);
  expect(used.endpoint.connections).toBe(1);
});

test("a suspect connection carries an exactly-once write at once, without a probe", async () => {
  const redis = client({ writes: "exactly-once" });
  await redis.strlen("k");
  await idle();
  expect(await redis.incr("n")).toBe(1);
  expect(used.endpoint.requests.map(({ body }) => body.includes("INCR"))).toEqual([false, true]);
  expect(used.endpoint.connections).toBe(1);
});

test("a read on a dropped connection gets its reply on a fresh one", async () => {
  const redis = client();
  await redis.strlen("k");
  silenceFirst();
  await idle();
  const begun = performance.now();
  expect(await redis.strlen("k")).toBe(1);
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(used.endpoint.connections).toBe(2);
  expect(redis.stats().closed).toBe(1);
});

test("a write after a dropped connection is written once, on a fresh one", async () => {
  const redis = client();
  await redis.strlen("k");
  silenceFirst();
  await idle();
  const begun = performance.now();
  expect(await redis.incr("n")).toBe(1);
  expect(performance.now() - begun).toBeLessThan(1_500);
  expect(used.endpoint.count("INCR")).toBe(1);
  expect(used.endpoint.requests.find(({ body }) => body.includes("INCR"))?.connection).toBe(2);
  expect(await redis.incr("n")).toBe(1);
  expect(used.endpoint.connections).toBe(2);
});

test("a pre-opened connection carries the first command", async () => {
  const redis = client({ preconnect: true });
  await redis.ready();
  expect(used.endpoint.connections).toBe(1);
  expect(await redis.incr("n")).toBe(1);
  expect(used.endpoint.connections).toBe(1);
});

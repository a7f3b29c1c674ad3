import { afterEach, beforeEach, expect, test } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { type Arrived, RawEndpoint, resp2Response } from "../support/endpoint.js";

// Responses that do not come on a connection that was used a moment ago.

const endpoint = RawEndpoint.forEachTest();
const client = (options: RedisOptions = {}) => new Redis({ url: endpoint.url, token: "t", ...options });
const respond = ({ socket }: Arrived) => void socket.write(resp2Response(":1\r\n"));
beforeEach(() => {
  endpoint.onRequest = respond;
});
afterEach(() => client().close());

/** Requests on connection 1 get no response from now on, as after a middlebox has dropped the flow. */
const silenceFirst = () => {
  endpoint.onRequest = (request) => request.connection > 1 && respond(request);
};

test.each([
  ["read", "strlen", /^\/$/],
  ["numbered write", "incr", /^\/n\/process\.1\./],
] as const)("a %s without a response is sent again on a fresh connection", async (_, command, path) => {
  const redis = client();
  endpoint.onRequest = ({ socket }) =>
    void socket.write(resp2Response(":1\r\n", { "warmline-instance": "process.1" }));
  await redis.strlen("k");
  silenceFirst();
  expect(await redis[command]("k")).toBe(1);
  const [, first, second] = endpoint.requests.map(({ head }) => head.split(" ")[1]);
  expect(first).toMatch(path);
  expect(second).toBe(first);
  expect(endpoint.connections).toBe(2);
  // The other connection is closed.
  expect(redis.stats().closed).toBe(1);
});

// A late copy of a write without a number could undo a write that follows.
test.each(["at-most-once", "at-least-once"] as const)("a plain write is sent once: %s", async (writes) => {
  const redis = client({ timeout: 2_500, circuit: false, writes });
  await redis.strlen("k");
  silenceFirst();
  await expect(redis.incr("n")).rejects.toMatchObject({ name: "TimeoutError", outcome: "unknown" });
  expect(endpoint.count("INCR")).toBe(1);
});

test("a request of more than 64 KB is sent once", async () => {
  const redis = client({ timeout: 2_500, circuit: false, retry: false });
  await redis.strlen("k");
  silenceFirst();
  await expect(redis.strlen("k".repeat(65_536))).rejects.toMatchObject({ name: "TimeoutError" });
  expect(endpoint.requests).toHaveLength(2);
});

test("a command that was slow is not sent again the next time", async () => {
  const redis = client({ circuit: false, timeout: 10_000 });
  await redis.strlen("k");
  // The hedge is as slow, so the first connection is the one that responds.
  endpoint.onRequest = ({ socket }) => void setTimeout(() => socket.write(resp2Response(":1\r\n")), 2_000);
  await redis.strlen("k");
  const sent = endpoint.count("STRLEN");
  await redis.strlen("k");
  expect(endpoint.count("STRLEN")).toBe(sent + 1);
});

test("a read that may block is not sent again", async () => {
  const redis = client({ circuit: false });
  await redis.strlen("k");
  endpoint.onRequest = ({ socket }) => void setTimeout(() => socket.write(resp2Response("*-1\r\n")), 2_000);
  await redis.xread("s", "0", { blockMS: 1_900 } as never).catch(() => {});
  expect(endpoint.count("XREAD")).toBe(1);
});

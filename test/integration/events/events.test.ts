import { channel, subscribe, unsubscribe } from "node:diagnostics_channel";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis, type RedisOptions } from "warmline";
import { warmlineConnector } from "warmline/ioredis";
import { startInstance } from "warmline-testbed";
import { RawEndpoint, resp2Response } from "../../support/endpoint.js";
import { forTest } from "../../support/lifetime.js";

// Events of the Node entry about its connections, on `node:diagnostics_channel`.

const NAMES = ["connection:opened", "connection:reused", "connection:closed", "retry", "thaw", "circuit"].map(
  (name) => `warmline:${name}`,
);

const endpoint = RawEndpoint.forEachTest();
let origin: string;
let heard: [name: string, message: Record<string, unknown>][];
/** Hears the client of this test alone: clients of other files in this process may still connect. */
const listener = (message: unknown, name: string | symbol) => {
  const event = message as Record<string, unknown>;
  if (event.origin === origin) heard.push([String(name).replace("warmline:", ""), event]);
};

beforeEach(() => {
  heard = [];
  origin = endpoint.url;
  endpoint.answer(resp2Response(":1\r\n"));
  for (const name of NAMES) subscribe(name, listener);
});
afterEach(() => {
  for (const name of NAMES) unsubscribe(name, listener);
  client({ url: origin }).close();
});

const client = (options: RedisOptions = {}) =>
  new Redis({
    url: options.url ?? endpoint.url,
    token: "secret-token",
    retry: { retries: 5, backoff: () => 7 },
    ...options,
  });
const ms = expect.any(Number);

test("a connection is opened by the first command, reused by the second, closed by close()", async () => {
  const redis = client();
  await redis.strlen("k");
  expect(heard).toEqual([["connection:opened", { origin, ms, open: 1 }]]);
  expect(heard[0]?.[1].ms).toBeGreaterThan(0);
  heard = [];
  await redis.strlen("k");
  expect(heard).toEqual([["connection:reused", { origin, requests: 1, idleMs: ms }]]);
  heard = [];
  redis.close();
  expect(heard).toEqual([
    ["connection:closed", { origin, reason: "closed-by-client", requests: 2, idleMs: ms, open: 0 }],
  ]);
});

describe.each([
  ["a client", (options: object) => new Redis(options)],
  ["a connector of ioredis", (options: object) => warmlineConnector(options)],
])("%s that is created", (_, create) => {
  test.each([
    ["with preconnect", { preconnect: true }, undefined, 1],
    ["on Lambda", {}, "handler", 1],
    ["on Lambda without preconnect", { preconnect: false }, "handler", 0],
    ["elsewhere", {}, undefined, 0],
  ])("%s opens a connection at once, or with its first command", async (_where, options, lambda, count) => {
    vi.stubEnv("AWS_LAMBDA_FUNCTION_NAME", lambda);
    create({ url: endpoint.url, token: "t", ...options });
    await new Promise((resolve) => setTimeout(resolve, 50));
    await expect.poll(() => heard.map(([name]) => name)).toEqual(Array(count).fill("connection:opened"));
  });
});

test("a lost response to a read publishes the close reason, the retry and the new connection", async () => {
  endpoint.onRequest = ({ socket, connection }) =>
    connection === 1 ? void socket.destroy() : socket.write(resp2Response(":1\r\n"));
  await client().strlen("k");
  expect(heard.filter(([name]) => name !== "connection:opened")).toEqual(
    expect.arrayContaining([
      ["connection:closed", { origin, reason: "closed-by-peer", requests: 1, idleMs: ms, open: 0 }],
      ["retry", { origin, command: "STRLEN", outcome: "unknown", retry: 1, waitMs: 0 }],
    ]),
  );
  expect(heard.map(([name]) => name).sort()).toEqual([
    "connection:closed",
    "connection:opened",
    "connection:opened",
    "retry",
  ]);
});

test("a lost response to a write publishes no retry", async () => {
  endpoint.onRequest = ({ socket }) => void socket.destroy();
  await expect(client().incr("k")).rejects.toMatchObject({ outcome: "unknown" });
  expect(heard.map(([name]) => name)).toEqual(["connection:opened", "connection:closed"]);
});

test("a closed port publishes each failed connect and each retry", async () => {
  await endpoint.stop();
  const redis = client({ url: origin, retry: { retries: 2, backoff: () => 7 } });
  await expect(redis.get("k")).rejects.toMatchObject({ outcome: "unsent" });
  // Ends the circuit's check, which would connect too.
  redis.close();
  const failed = ["connection:closed", expect.objectContaining({ reason: "connect-failed", open: 0 })];
  const retry = (number: number) => [
    "retry",
    { origin, command: "GET", outcome: "unsent", retry: number, waitMs: 7 },
  ];
  expect(heard).toHaveLength(5);
  expect(heard).toEqual(expect.arrayContaining([failed, retry(1), retry(2)]));
});

test.each([
  ["connection-close", { connection: "close" }, {}],
  ["keep-alive-off", {}, { keepAlive: false }],
] as const)("the close reason is published: %s", async (reason, headers, options) => {
  endpoint.answer(resp2Response(":1\r\n", headers));
  await client(options).strlen("k");
  const closed = ["connection:closed", expect.objectContaining({ reason, requests: 1 })];
  await expect.poll(() => heard).toContainEqual(closed);
});

test("a connection idle longer than the advertised keep-alive is closed as such", async () => {
  endpoint.answer(resp2Response(":1\r\n", { "keep-alive": "timeout=1" }));
  const redis = client();
  await redis.strlen("k");
  await redis.strlen("k");
  expect(heard.map(([name]) => name)).toEqual([
    "connection:opened",
    "connection:closed",
    "connection:opened",
  ]);
  expect(heard[1]?.[1].reason).toBe("idle-timeout");
});

test("a suspect connection that loses its race is closed as such", async () => {
  const redis = client();
  await redis.strlen("k");
  endpoint.onRequest = ({ socket, connection }) => connection > 1 && socket.write(resp2Response(":1\r\n"));
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await redis.strlen("k");
  expect(heard).toContainEqual([
    "connection:closed",
    expect.objectContaining({ reason: "no-response", requests: 2 }),
  ]);
});

test("a connection aborted with a response outstanding is closed as such", async () => {
  endpoint.onRequest = () => {};
  await expect(client({ timeout: 500 }).get("k")).rejects.toMatchObject({ name: "TimeoutError" });
  expect(heard).toContainEqual(["connection:closed", expect.objectContaining({ reason: "aborted" })]);
});

test("no message holds a value, a key or a token", async () => {
  endpoint.onRequest = ({ socket, number }) =>
    number % 3 === 0 ? void socket.destroy() : socket.write(resp2Response("$12\r\nsecret-value\r\n"));
  const redis = client({ enableAutoPipelining: false });
  for (let i = 0; i < 6; i++) {
    await redis.get("secret-key");
    await redis.set("secret-key", "secret-value", { get: true }).catch(() => {});
  }
  expect(new Set(heard.map(([name]) => name)).size).toBe(4);
  expect(JSON.stringify(heard)).not.toContain("secret");
});

test("nothing is published without a subscriber", async () => {
  for (const name of NAMES) unsubscribe(name, listener);
  const spies = NAMES.map((name) => vi.spyOn(channel(name), "publish"));
  const redis = client();
  await redis.strlen("k");
  await redis.strlen("k");
  redis.close();
  for (const spy of spies) expect(spy).not.toHaveBeenCalled();
  vi.restoreAllMocks();
  subscribe(NAMES[0]!, listener);
  await redis.strlen("k");
  expect(heard).toHaveLength(1);
});

test("a thaw is published with about the frozen time", async () => {
  endpoint.answer(resp2Response("$1\r\nv\r\n"));
  const instance = forTest(
    await startInstance({
      handler: fileURLToPath(new URL("handlers/listener.mjs", import.meta.url)),
      env: { WARMLINE_URL: endpoint.url, WARMLINE_TOKEN: "t" },
      timeoutMs: 10_000,
    }),
  );
  const begun = performance.now();
  await instance.invoke();
  await instance.freeze();
  await new Promise((resolve) => setTimeout(resolve, 2_300));
  await instance.thaw();
  const { result } = await instance.invoke();
  const thaws = (result as typeof heard).filter(([name]) => name === "thaw");
  expect(thaws).toEqual([["thaw", { origin, frozenMs: ms, idle: 1 }]]);
  expect(thaws[0]?.[1].frozenMs).toBeGreaterThan(1_000);
  expect(thaws[0]?.[1].frozenMs).toBeLessThan(performance.now() - begun);
});

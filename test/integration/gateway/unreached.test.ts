import { connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { freePorts, startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { call } from "./http.js";

// A Redis that was never reached: commands fail at once, and every report has the reason.

/** A port that refuses connections. */
async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port!;
}

async function start(redis: string, options: GatewayOptions = {}): Promise<Gateway> {
  const common = { redis, port: 0, logLevel: "silent", commandTimeout: TIMEOUT } as const;
  return forTest(await createGateway({ ...common, ...options }));
}

/** Longer than anything here takes, so that nothing ends by it. */
const TIMEOUT = 20_000;

/** Sends one request of each kind. Returns their statuses and errors, and fails if one takes long. */
async function sendAll(to: Gateway) {
  const began = performance.now();
  const responses = await Promise.all([
    call(to, "/", { body: ["GET", "k"] }),
    call(to, "/multi-exec", { body: [["INCR", "n"]] }),
    call(to, "/", { body: ["BLPOP", "l", "1"] }),
  ]);
  const pipeline = await call(to, "/pipeline", { body: [["INCR", "n"]] });
  expect(performance.now() - began).toBeLessThan(TIMEOUT / 2);
  expect(pipeline.json[0].error).toMatch(/^UNSENT /);
  return responses;
}

describe.each([
  ["a server", (port: number) => `redis://127.0.0.1:${port}`],
  ["a cluster", (port: number) => `redis://127.0.0.1:${port},127.0.0.1:${port}`],
  ["a group of Sentinels", (port: number) => `redis+sentinel://127.0.0.1:${port}/group`],
])("%s that refuses connections", (_, url) => {
  test("every request fails at once, and every report names the Redis and the reason", async () => {
    const port = await freePort();
    const to = await start(url(port));
    for (const { status, headers, json } of await sendAll(to)) {
      expect([status, headers["warmline-outcome"], headers["retry-after"]]).toEqual([
        503,
        "unsent",
        undefined,
      ]);
      expect(json.error).toMatch(/could not be reached: .*ECONNREFUSED/);
    }
    const reason = new RegExp(`^redis .*127.0.0.1:${port}.* cannot be reached: .*ECONNREFUSED`);
    expect(to.problem).toMatch(reason);
    for (const path of ["/ready", "/health"]) {
      const { status, json } = await call(to, path, { token: null });
      expect(status).toBe(503);
      expect(json).toMatchObject({ status: "down", reason: expect.stringMatching(reason) });
    }
  });
});

test.each([
  "WRONGPASS invalid username-password pair or user is disabled.",
  "ERR max number of clients reached",
])("a Redis that replies to the handshake with %s is named with it, and gets no command", async (refuse) => {
  const fake = forTest(await startFakeRedis(({ name }) => (name === "AUTH" ? { refuse } : undefined)));
  const to = await start(fake.url.replace("://", "://:hushed@"));
  for (const { status, text, json } of await sendAll(to)) {
    expect([status, json.error]).toEqual([503, `Redis could not be reached: it replied ${refuse}`]);
    expect(text).not.toContain("hushed");
  }
  expect(to.problem).toContain(refuse);
  expect(to.problem).not.toContain("hushed");
  expect(fake.count("GET")).toBe(0);
});

test("a Redis that takes connections in silence holds up the start for less than commandTimeout", async () => {
  const server = forTest(createServer(() => {}));
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address() as { port: number };
  const began = performance.now();
  const to = await start(`redis://127.0.0.1:${port}`, { commandTimeout: 2_500 });
  expect(performance.now() - began).toBeLessThan(2_400);
  expect(to.problem).toMatch(/has not replied yet/);
  await expect.poll(() => to.problem).toMatch(/no reply in time/);
  const sent = performance.now();
  const { status, json } = await call(to, "/", { body: ["GET", "k"] });
  expect(performance.now() - sent).toBeLessThan(2_000);
  expect([status, json.error]).toEqual([503, "Redis could not be reached: no reply in time"]);
});

test("a gateway that listens beyond loopback hides the reason from clients without a token", async () => {
  const to = await start(`redis://127.0.0.1:${await freePort()}`, { host: "0.0.0.0", token: "t" });
  const at = { ...to, token: "t", url: to.url.replace("0.0.0.0", "127.0.0.1") };
  expect((await call(at, "/ready", { token: null })).json).toEqual({ status: "down" });
  expect((await call(at, "/ready")).json.reason).toMatch(/ECONNREFUSED/);
});

test("commands run as soon as the Redis is there", async () => {
  const port = await freePort();
  const to = await start(`redis://127.0.0.1:${port}`);
  expect((await call(to, "/", { body: ["GET", "k"] })).status).toBe(503);
  forTest(await startFakeRedis(undefined, { port }));
  await expect.poll(async () => (await call(to, "/", { body: ["SET", "k", "v"] })).status).toBe(200);
  expect(to.problem).toBeNull();
  expect((await call(to, "/ready")).json).toEqual({ status: "ready" });
});

test("a Redis that was reached before is waited for while it restarts", async () => {
  const port = await freePort();
  const fake = forTest(await startFakeRedis(undefined, { port }));
  const to = await start(fake.url);
  expect((await call(to, "/", { body: ["SET", "k", "v"] })).status).toBe(200);
  await fake.close();
  await expect.poll(() => to.problem).toMatch(/cannot be reached: /);
  const response = call(to, "/", { body: ["SET", "k", "v"] });
  await sleep(500);
  forTest(await startFakeRedis(undefined, { port }));
  expect((await response).status).toBe(200);
});

test("a command outlasts an attempt to connect that gets no reply, and uses the next one", async () => {
  const fake = forTest(await startFakeRedis());
  const sockets: Socket[] = [];
  let isSilent = false;
  const address = forTest(
    createServer((socket) => {
      sockets.push(socket.on("error", () => {}));
      if (isSilent) return;
      const server = connect(Number(new URL(fake.url).port), "127.0.0.1");
      sockets.push(server.on("error", () => {}));
      socket.pipe(server).pipe(socket);
    }),
  );
  await new Promise<void>((done) => address.listen(0, "127.0.0.1", done));
  const to = await start(`redis://127.0.0.1:${(address.address() as { port: number }).port}`, {
    commandTimeout: 8_000,
  });
  expect((await call(to, "/", { body: ["SET", "k", "v"] })).status).toBe(200);
  isSilent = true;
  const lost = sockets.splice(0);
  for (const socket of lost) socket.destroy();
  const response = call(to, "/", { body: ["INCR", "n"] });
  // The attempt that hangs is under way.
  await expect.poll(() => sockets.length).toBeGreaterThan(0);
  isSilent = false;
  expect((await response).json).toEqual({ result: 1 });
});

import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { Redis } from "warmline";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { forTest } from "../../support/lifetime.js";
import { sharedEngine } from "./engines.js";
import { post, RawConnection } from "./raw-connection.js";

/** A connection that was idle for less than a second is left alone. */
const LONG_IDLE = 1_100;

let gateway: Gateway;
const engine = sharedEngine();

async function start(options: Partial<GatewayOptions>): Promise<void> {
  gateway = forTest(await createGateway({ engine, port: 0, token: "t", shutdownTimeout: 200, ...options }));
}

class Client extends RawConnection {
  constructor() {
    super(gateway);
  }

  send(...args: string[]): void {
    this.socket.write(post(args));
  }

  /** Sends PING and waits for the response. */
  async ping(): Promise<this> {
    const before = this.text.split("PONG").length;
    this.send("PING");
    await expect.poll(() => this.text.split("PONG").length).toBe(before + 1);
    return this;
  }
}

/** Ends this many blocked commands, by an element for each. */
async function release(count: number): Promise<void> {
  const redis = await engine.connect();
  const elements = Array.from({ length: count }, (_, at) => `$1\r\n${at}\r\n`).join("");
  redis.write(`*${2 + count}\r\n$5\r\nRPUSH\r\n$4\r\nnone\r\n${elements}`);
  await once(redis, "data");
  redis.destroy();
}

/** One number of `/metrics`. The connection that reads it is served even at the limit. */
async function metric(name: string): Promise<number> {
  const response = await fetch(`${gateway.url}/metrics`, {
    headers: { authorization: "Bearer t", connection: "close" },
  });
  const line = (await response.text())
    .split("\n")
    .find((each) => each.startsWith(`warmline_gateway_${name} `));
  return Number(line?.split(" ")[1]);
}

test("the longest idle connection is closed to make room, and none with a request", async () => {
  await start({ softMaxConnections: 3, maxConnections: 10 });
  const busy = new Client();
  busy.send("BLPOP", "none", "20");
  const first = await new Client().ping();
  await sleep(20);
  const second = await new Client().ping();
  await sleep(LONG_IDLE);
  const third = await new Client().ping();
  await expect.poll(() => first.isClosed).toBe(true);
  expect([busy.isClosed, second.isClosed, third.isClosed]).toEqual([false, false, false]);
  const fourth = await new Client().ping();
  await expect.poll(() => second.isClosed).toBe(true);
  // The others were used a moment ago, so that the fifth is let in beside them.
  const fifth = await new Client().ping();
  expect([busy.isClosed, third.isClosed, fourth.isClosed, fifth.isClosed]).toEqual([
    false,
    false,
    false,
    false,
  ]);
  expect(await metric("connections_evicted_total")).toBe(2);
  await release(1);
  await expect.poll(() => busy.text).toContain('{"result":["none","0"]}');
});

describe("at maxConnections", () => {
  const full = async () => {
    await start({ softMaxConnections: 2, maxConnections: 2 });
    const busy = [new Client(), new Client()];
    for (const each of busy) each.send("BLPOP", "none", "20");
    await expect.poll(() => metric('connections{state="active"}')).toBe(2);
    return busy;
  };

  test("a connection above maxConnections gets 503, unsent, and is closed, and nothing runs", async () => {
    await full();
    const client = new Client();
    client.send("INCR", "refused");
    await expect.poll(() => client.isClosed).toBe(true);
    expect(client.text).toMatch(/^HTTP\/1\.1 503 /);
    expect(client.text).toMatch(/\r\nRetry-After: \d+\r\n/);
    expect(client.text).toMatch(/\r\nWarmline-Outcome: unsent\r\n/);
    expect(client.text).toMatch(/\r\nConnection: close\r\n/);
    expect(client.text).toMatch(/\r\n\r\n\{"error":"ERR max number of clients reached"\}$/);
    expect(await client.closed).toBeUndefined();
    expect(await metric("connections_refused_total")).toBeGreaterThan(0);
    await release(2);
    await expect.poll(() => metric('connections{state="active"}'), { timeout: 6_000 }).toBe(0);
    await sleep(LONG_IDLE);
    const later = new Client();
    later.send("GET", "refused");
    await expect.poll(() => later.text).toContain('{"result":null}');
  });

  test("the refusal arrives although a large body is being sent", async () => {
    await full();
    const client = new Client();
    client.send("SET", "k", "x".repeat(3_000_000));
    await expect.poll(() => client.text).toMatch(/^HTTP\/1\.1 503 .*clients reached"\}$/s);
  });

  test("a refused connection without a request is closed without a response", async () => {
    await full();
    const silent = new Client();
    await expect.poll(() => silent.isClosed, { timeout: 5_000 }).toBe(true);
    expect(silent.text).toBe("");
  });

  test("health and readiness respond above maxConnections", async () => {
    await full();
    for (const path of ["health", "ready"]) {
      expect((await fetch(`${gateway.url}/${path}`, { headers: { connection: "close" } })).status).toBe(200);
    }
  });

  test("the client waits and sends again, and its write is applied once", async () => {
    await full();
    const redis = new Redis({ url: gateway.url, token: "t", timeout: 10_000 });
    const waited = redis.incr("waited");
    await expect.poll(() => redis.stats().retries).toBeGreaterThan(0);
    await release(2);
    expect(await waited).toBe(1);
    expect(await redis.get("waited")).toBe(1);
    await redis.close();
  });
});

import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import { jsonOf } from "../../gateway/src/api/json-encoder.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../gateway/src/index.js";
import { call, metric, run } from "../integration/gateway/http.js";
import { get, RawConnection } from "../integration/gateway/raw-connection.js";
import { commands } from "../support/commands.js";
import { sharedByTests } from "../support/lifetime.js";

const MB = 1024 * 1024;
/** Larger than the budget of the gateway under test. */
const SIZE = 12 * MB;

let gateway: Gateway;

async function start(options: Partial<GatewayOptions> = {}): Promise<void> {
  gateway = await createGateway({
    redis: redis.url,
    port: 0,
    token: "t",
    maxBufferedBytes: 8 * MB,
    ...options,
  });
}

const redis = sharedByTests(() => startRedis());

describe("memory", { tags: "redis-server" }, () => {
  beforeAll(async () => {
    await start();
    await run(gateway, "SETRANGE", "large", SIZE - 1, "x");
    await run(gateway, "RPUSH", "list", ...Array.from({ length: 60_000 }, (_, i) => `element ${i}`));
    await gateway.close();
  });
  afterEach(() => gateway?.close());

  test("a reply larger than the budget is streamed, in every format", async () => {
    await start();
    const reply = Buffer.concat([Buffer.from(`$${SIZE}\r\n`), Buffer.alloc(SIZE - 1), Buffer.from("x\r\n")]);
    const json = await call(gateway, "/get/large");
    expect(json.headers["transfer-encoding"]).toBe("chunked");
    expect(json.bytes.equals(jsonOf([reply], false, "one"))).toBe(true);
    const base64 = await call(gateway, "/get/large", { headers: { "upstash-encoding": "base64" } });
    expect(base64.bytes.equals(jsonOf([reply], true, "one"))).toBe(true);
    const resp2 = await call(gateway, "/get/large", { headers: { "upstash-response-format": "resp2" } });
    expect(resp2.bytes.equals(reply)).toBe(true);
  });

  test("a large reply in a pipeline or a transaction keeps its place", async () => {
    await start({ maxBufferedBytes: 64 * MB });
    const list = Array.from({ length: 60_000 }, (_, i) => `element ${i}`);
    const body = commands("ECHO first", "LRANGE list 0 -1", "NOSUCH", "LRANGE list 0 -1", "ECHO last");
    const { json } = await call(gateway, "/pipeline", { body });
    expect(json[0]).toEqual({ result: "first" });
    expect(json[1].result).toEqual(list);
    expect(json[2].error).toMatch(/^ERR unknown command/);
    expect(json[3].result).toEqual(list);
    expect(json[4]).toEqual({ result: "last" });
    const exec = await call(gateway, "/multi-exec", { body: body.filter(([name]) => name !== "NOSUCH") });
    expect(exec.json.map(({ result }: any) => result)).toEqual(["first", list, list, "last"]);
  });

  test("a reader that stops gets a part of the reply, and can tell that it was cut", async () => {
    await start({ bodyTimeout: 2_500 });
    const reader = new RawConnection(gateway, get("/get/large"));
    reader.socket.pause();
    await expect.poll(() => buffered()).toBeGreaterThan(2 * MB);
    await sleep(300);
    expect(await buffered()).toBeLessThan(7 * MB);
    await expect.poll(() => buffered()).toBe(0);
    reader.socket.resume();
    await reader.closed;
    expect(reader.text).toMatch(/^HTTP\/1\.1 200 .*\r\nTransfer-Encoding: chunked\r\n/s);
    expect(reader.text.endsWith("\r\n0\r\n\r\n")).toBe(false);
    expect((await call(gateway, "/get/large")).bytes.length).toBeGreaterThan(SIZE);
  });

  test.each([
    ["200 KB", 200_000],
    ["20 KB", 20_000],
  ])(
    "responses of %s to clients that read nothing stay within the budget",
    async (_, size) => {
      const limit = MB;
      await start({ bodyTimeout: 1_500, maxBufferedBytes: limit });
      await run(gateway, "SET", "ordinary", "x".repeat(size));
      // More than the kernel's buffers hold.
      const requests = Math.ceil((10 * MB) / size);
      const sockets = Array.from({ length: 50 }, () => {
        const socket = openSocket();
        socket.pause();
        return socket.on("connect", () => socket.write(get("/get/ordinary").repeat(requests)));
      });
      let most = 0;
      const begun = performance.now();
      for (let fullAt = 0; !fullAt || performance.now() - fullAt < 500; ) {
        expect((await call(gateway, "/echo/served")).json).toEqual({ result: "served" });
        most = Math.max(most, await buffered());
        if (most > limit / 2) fullAt ||= performance.now();
        expect(performance.now() - begun).toBeLessThan(40_000);
      }
      expect(most).toBeLessThanOrEqual(limit);
      await expect.poll(() => buffered(), { timeout: 25_000 }).toBe(0);
      expect((await call(gateway, "/get/ordinary")).json.result.length).toBe(size);
      for (const socket of sockets) socket.destroy();
    },
    90_000,
  );

  test("a token that may not write sends at most 1 MB", async () => {
    await start({
      tokens: [
        { name: "page", token: "reader", role: "read-only" },
        { name: "list", token: "lister", commands: ["GET", "MGET"] },
        { name: "all", token: "writer" },
      ],
    });
    const body = ["SET", "k", "x".repeat(1.5 * MB)];
    for (const token of ["reader", "lister"]) {
      const { status, json } = await call(gateway, "/", { token, body });
      expect([status, json.error]).toEqual([413, `ERR the request is larger than ${MB} bytes`]);
    }
    expect((await call(gateway, "/", { token: "writer", body })).status).toBe(200);
    expect((await call(gateway, "/", { token: "reader", body: ["GET", "k"] })).json.result.length).toBe(
      1.5 * MB,
    );
  });

  test("large bodies wait for memory, small ones do not", async () => {
    await start();
    const unfinished = [MB, MB].map((size) => {
      const socket = openSocket();
      socket.write(
        `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\nContent-Length: ${size}\r\n\r\n["SET"`,
      );
      return socket;
    });
    await expect.poll(() => buffered()).toBe(4 * MB);
    // A body that stalls would be cancelled while memory is short.
    const trickle = setInterval(() => {
      for (const socket of unfinished) socket.write("x");
    }, 500);
    const large = ["SET", "waited", "x".repeat(0.5 * MB)];
    const refused = await call(gateway, "/", { body: large });
    expect([refused.status, refused.headers["warmline-outcome"]]).toEqual([503, "unsent"]);
    expect(refused.headers["retry-after"]).toBe("1");
    expect(await run(gateway, "EXISTS", "waited")).toBe(0);
    clearInterval(trickle);
    const waits = call(gateway, "/", { body: large });
    unfinished[0]!.destroy();
    expect((await waits).status).toBe(200);
    unfinished[1]!.destroy();
    await expect.poll(() => buffered()).toBe(0);
  });

  test("replies that a pipeline collects count until they are sent", async () => {
    await start();
    const reply = "x".repeat(200_000);
    const pipeline = call(gateway, "/pipeline", {
      body: [
        ["ECHO", reply],
        ["BLPOP", "awaited", "0"],
      ],
    });
    // The two copies of the request's body count too, until the response is sent.
    const request = 2 * (reply.length + 40);
    await expect.poll(() => buffered()).toBeGreaterThan(request + reply.length);
    await run(gateway, "RPUSH", "awaited", "x");
    expect((await pipeline).json).toEqual([{ result: reply }, { result: ["awaited", "x"] }]);
    await expect.poll(() => buffered()).toBe(0);
  });

  test("requests that are read ahead count until they are processed", async () => {
    await start();
    const socket = openSocket();
    const ahead = get("/echo/x").repeat(500);
    socket.write(get("/blpop/awaited/0") + ahead);
    await expect.poll(() => buffered()).toBeGreaterThanOrEqual(ahead.length);
    await run(gateway, "RPUSH", "awaited", "x");
    expect(await responses(socket, 501)).toBe(501);
    await expect.poll(() => buffered()).toBe(0);
    socket.write(`GET /echo/x HTTP/1.1\r\nX-Long: ${"x".repeat(10_000)}`);
    await expect.poll(() => buffered()).toBeGreaterThan(10_000);
    socket.destroy();
    await expect.poll(() => buffered()).toBe(0);
  });

  test("unfinished heads use at most half of the memory", async () => {
    await start({ maxBufferedBytes: MB });
    const sockets = Array.from({ length: 120 }, () => {
      const socket = openSocket();
      socket.resume();
      socket.write(`GET / HTTP/1.1\r\nX-Long: ${"x".repeat(12_000)}`);
      return socket;
    });
    await expect.poll(() => buffered()).toBeGreaterThan(MB / 3);
    await sleep(200);
    expect(await buffered()).toBeLessThanOrEqual(MB / 2);
    expect(await run(gateway, "SET", "written", "x".repeat(60_000))).toBe("OK");
    for (const socket of sockets) socket.destroy();
  });

  test("requests for which there is no memory are not read ahead: the connection ends after the response to the one in progress", async () => {
    const limit = 512 * 1024;
    await start({ maxBufferedBytes: limit });
    const sockets = Array.from({ length: 20 }, () => {
      const socket = openSocket();
      socket.write(get("/blpop/none/3") + get("/echo/x").repeat(600));
      return socket;
    });
    const ends = Promise.all(sockets.map((socket) => responses(socket, 601)));
    await expect.poll(() => buffered()).toBeGreaterThan(limit / 4);
    expect(await buffered()).toBeLessThanOrEqual(limit / 2);
    const answered = await ends;
    expect(answered.filter((count) => count === 601).length).toBeGreaterThan(1);
    expect(answered.filter((count) => count === 1).length).toBeGreaterThan(10);
    expect(answered.every((count) => count === 1 || count === 601)).toBe(true);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => buffered()).toBe(0);
  });

  test("a head for which there is no memory is refused with 503, unsent", async () => {
    await start({ maxBufferedBytes: 32 * 1024 });
    const sockets = Array.from({ length: 4 }, () => {
      const socket = openSocket();
      socket.write(`GET /echo/x HTTP/1.1\r\nHost: localhost\r\nX-Long: ${"x".repeat(10_000)}`);
      return socket;
    });
    const ended = await Promise.all(sockets.slice(1).map(text));
    for (const response of ended) {
      expect(response).toMatch(/^HTTP\/1\.1 503 /);
      expect(response).toContain("\r\nWarmline-Outcome: unsent\r\n");
      expect(response).toContain("no memory left");
    }
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => buffered()).toBe(0);
  });

  test("events that wait for a slow reader count, and beyond the budget the reader's stream ends", async () => {
    await start({ maxBufferedBytes: 2 * MB, streamBuffer: 16 * MB });
    const socket = openSocket();
    const closed = new Promise((resolve) => socket.on("close", resolve));
    socket.write(get("/subscribe/news"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    let most = 0;
    const news = "x".repeat(30_000);
    // More than the kernel's buffers and the budget hold.
    for (let sent = 0; sent < 20 * MB; sent += 10 * news.length) {
      await Promise.all(Array.from({ length: 10 }, () => run(gateway, "PUBLISH", "news", news)));
      most = Math.max(most, await buffered());
    }
    expect(most).toBeGreaterThan(MB / 4);
    expect(most).toBeLessThanOrEqual(MB);
    await expect.poll(() => run(gateway, "PUBLISH", "news", "x")).toBe(0);
    expect(await metric(gateway, "streams_dropped_total")).toBe(1);
    socket.resume();
    await closed;
    await expect.poll(() => buffered()).toBe(0);
  });

  test("a large event goes to each reader that there is memory for, and the others get a gap", async () => {
    const size = 3 * MB;
    await start({ maxBufferedBytes: 16 * MB, streamBuffer: 16 * MB });
    const all = await Promise.all(Array.from({ length: 4 }, () => openEvents("/subscribe/news")));
    for (const { socket } of all) socket.pause();
    // More than the kernel's buffers hold.
    for (let i = 0; i < 4; i++) {
      await run(gateway, "EVAL", "return redis.call('PUBLISH', 'news', string.rep('x', ARGV[1]))", 0, size);
      // A message that is being received counts too, beside the half that events may use.
      expect(await buffered()).toBeLessThanOrEqual(16 * MB);
      await expect.poll(() => buffered()).toBeLessThanOrEqual(8 * MB);
    }
    for (const { socket } of all) socket.resume();
    await run(gateway, "PUBLISH", "news", "end");
    for (const events of all)
      await expect.poll(() => events.text.endsWith("data: message,news,end\n\n\r\n")).toBe(true);
    const whole = all.map(({ text }) => text.split("x".repeat(size)).length - 1);
    const gaps = all.map(({ text }) => text.match(/^event: gap$/gm)?.length ?? 0);
    expect(whole.map((count, at) => count + gaps[at]!)).toEqual([4, 4, 4, 4]);
    expect(Math.max(...whole)).toBeGreaterThan(0);
    expect(Math.max(...gaps)).toBeGreaterThan(0);
    expect(await metric(gateway, "streams_dropped_total")).toBe(0);
    await expect.poll(() => buffered()).toBe(0);
    for (const { socket } of all) socket.destroy();
  });

  test("a stream whose reader reads nothing ends while memory is short", async () => {
    await start({ maxBufferedBytes: 2 * MB, bodyTimeout: 4_000 });
    const socket = openSocket();
    socket.write(get("/subscribe/news"));
    await new Promise((resolve) => socket.once("data", resolve));
    socket.pause();
    const news = "x".repeat(30_000);
    // One at a time: requests in flight need memory too, and a reader that is behind is the first to lose it.
    for (let sent = 0; sent < 20 * MB && (await buffered()) < MB / 2; sent += news.length)
      await run(gateway, "PUBLISH", "news", news);
    // The stream stays open while no other request needs its memory.
    expect(await run(gateway, "PUBSUB", "NUMSUB", "news")).toEqual(["news", 1]);
    const large = ["SET", "waited", "x".repeat(0.4 * MB)];
    await expect.poll(() => run(gateway, ...large), { timeout: 20_000 }).toBe("OK");
    await expect.poll(() => run(gateway, "PUBSUB", "NUMSUB", "news")).toEqual(["news", 0]);
    await expect.poll(() => buffered()).toBe(0);
    socket.destroy();
  });

  test("buffered bytes are freed when connections are broken off", async () => {
    await start();
    const sockets = Array.from({ length: 4 }, () => {
      const socket = openSocket();
      socket.pause();
      socket.write(get("/get/large"));
      return socket;
    });
    await call(gateway, "/pipeline", { body: Array.from({ length: 5_000 }, () => ["ECHO", "x"]) });
    await sleep(300);
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => buffered()).toBe(0);
  });
});

/** Opens a connection to the gateway. Its errors are ignored: some tests break it. */
const openSocket = () => connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});

/** Counts the responses on a connection. Resolves after `most`, or at its end. */
function responses(socket: Socket, most: number): Promise<number> {
  let count = 0;
  let rest = "";
  return new Promise((resolve) => {
    socket.on("data", (chunk) => {
      const parts = (rest + chunk.toString("latin1")).split("HTTP/1.1 200 ");
      count += parts.length - 1;
      rest = parts.at(-1)!.slice(-12);
      if (count >= most) resolve(count);
    });
    socket.on("close", () => resolve(count));
  });
}

async function openEvents(path: string): Promise<RawConnection> {
  const events = new RawConnection(gateway, get(path));
  await expect.poll(events.received).toContain("data: subscribe,");
  return events;
}

const buffered = () => metric(gateway, "buffered_bytes");

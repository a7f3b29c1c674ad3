import { connect } from "node:net";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { NO_REDIS, type RedisServer, redisAvailable, startRedis } from "warmline-testbed";
import { jsonReply } from "../../../gateway/src/api/json-reply.js";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { call, run } from "./http.js";

const MB = 1024 * 1024;
/** Larger than the budget of the gateway under test. */
const SIZE = 12 * MB;

let redis: RedisServer;
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

describe.skipIf(!redisAvailable())(`memory (${redisAvailable() ? "a real Redis" : NO_REDIS})`, () => {
  beforeAll(async () => {
    redis = await startRedis();
    await start();
    await run(gateway, "SETRANGE", "nul", SIZE - 1, "x");
    await run(gateway, "RPUSH", "list", ...Array.from({ length: 60_000 }, (_, i) => `element ${i}`));
    await gateway.close();
  });
  afterAll(() => redis?.stop());
  afterEach(() => gateway?.close());

  test("a reply larger than the budget is streamed, in every format", async () => {
    await start();
    const reply = Buffer.concat([Buffer.from(`$${SIZE}\r\n`), Buffer.alloc(SIZE - 1), Buffer.from("x\r\n")]);
    const json = await call(gateway, "/get/nul");
    expect(json.headers["transfer-encoding"]).toBe("chunked");
    expect(json.bytes.equals(jsonReply(reply, false))).toBe(true);
    const base64 = await call(gateway, "/get/nul", { headers: { "upstash-encoding": "base64" } });
    expect(base64.bytes.equals(jsonReply(reply, true))).toBe(true);
    const resp2 = await call(gateway, "/get/nul", { headers: { "upstash-response-format": "resp2" } });
    expect(resp2.bytes.equals(reply)).toBe(true);
  });

  test("a large reply in a pipeline or a transaction keeps its place", async () => {
    await start({ maxBufferedBytes: 64 * MB });
    const list = Array.from({ length: 60_000 }, (_, i) => `element ${i}`);
    const body = [
      ["ECHO", "first"],
      ["LRANGE", "list", "0", "-1"],
      ["NOSUCH"],
      ["LRANGE", "list", "0", "-1"],
      ["ECHO", "last"],
    ];
    const { json } = await call(gateway, "/pipeline", { body });
    expect(json[0]).toEqual({ result: "first" });
    expect(json[1].result).toEqual(list);
    expect(json[2].error).toMatch(/^ERR unknown command/);
    expect(json[3].result).toEqual(list);
    expect(json[4]).toEqual({ result: "last" });
    const exec = await call(gateway, "/multi-exec", { body: body.filter(([name]) => name !== "NOSUCH") });
    expect(exec.json.map(({ result }: any) => result)).toEqual(["first", list, list, "last"]);
  });

  test("a HEAD response has no body, however large the reply", async () => {
    await start();
    const head = await call(gateway, "/get/nul", { method: "HEAD" });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    expect(await run(gateway, "PING")).toBe("PONG");
  });

  test("a reader that stops gets a part of the reply, and a visible break", async () => {
    await start({ bodyTimeout: 1_000 });
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1");
    socket.pause();
    let received = "";
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
    });
    const closed = new Promise((resolve) => {
      socket.on("error", () => {});
      socket.on("close", resolve);
    });
    socket.write("GET /get/nul HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n");
    await expect.poll(() => buffered()).toBeGreaterThan(2 * MB);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await buffered()).toBeLessThan(7 * MB);
    await expect.poll(() => buffered(), { timeout: 5_000 }).toBe(0);
    socket.resume();
    await closed;
    expect(received).toMatch(/^HTTP\/1\.1 200 .*\r\nTransfer-Encoding: chunked\r\n/s);
    expect(received.endsWith("\r\n0\r\n\r\n")).toBe(false);
    expect((await call(gateway, "/get/nul")).bytes.length).toBeGreaterThan(SIZE);
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
      // More than the kernel takes.
      const requests = Math.ceil((10 * MB) / size);
      const get = "GET /get/ordinary HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n";
      const sockets = Array.from({ length: 50 }, () => {
        const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
        socket.pause();
        return socket.on("connect", () => socket.write(get.repeat(requests)));
      });
      let most = 0;
      const begun = performance.now();
      for (let fullAt = 0; !fullAt || performance.now() - fullAt < 500; ) {
        expect((await call(gateway, "/echo/served")).json).toEqual({ result: "served" });
        most = Math.max(most, await buffered());
        if (most > limit / 2) fullAt ||= performance.now();
        expect(performance.now() - begun).toBeLessThan(15_000);
      }
      expect(most).toBeLessThanOrEqual(limit);
      await expect.poll(() => buffered(), { timeout: 10_000 }).toBe(0);
      expect((await call(gateway, "/get/ordinary")).json.result.length).toBe(size);
      for (const socket of sockets) socket.destroy();
    },
    40_000,
  );

  test("requests of a client that reads no responses are not read without limit", async () => {
    await start();
    await run(gateway, "SET", "ordinary", "x".repeat(60_000));
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
    socket.pause();
    const get = "GET /get/ordinary HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n";
    // Their responses are more than the kernel takes.
    await new Promise((resolve) => socket.write(get.repeat(200), resolve));
    await expect.poll(() => buffered()).toBeGreaterThan(50_000);
    const many = Buffer.from(get.repeat(2_000));
    const take = () => new Promise<boolean>((resolve) => socket.write(many, () => resolve(true)));
    const stalled = () => new Promise<boolean>((resolve) => setTimeout(resolve, 1_500, false));
    let sent = 0;
    while (sent < 40 * MB && (await Promise.race([take(), stalled()]))) sent += many.length;
    // The rest is what the kernel holds.
    expect(sent).toBeLessThan(20 * MB);
    socket.destroy();
  });

  test("commands after a large reply do not wait for its reader", async () => {
    await start({ maxBufferedBytes: 64 * MB });
    await run(gateway, "MSET", "small", "s", "counter", "0");
    const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
    socket.pause();
    await new Promise((resolve) => socket.once("connect", resolve));
    for (let i = 1; i <= 3; i++) {
      socket.write("GET /get/nul HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n");
      const behind = [
        run(gateway, "GET", "small"),
        run(gateway, "INCR", "counter"),
        run(gateway, "GET", "small"),
      ];
      expect(await Promise.all(behind)).toEqual(["s", i, "s"]);
    }
    socket.destroy();
    expect(await run(gateway, "GET", "counter")).toBe("3");
  });

  test("a pipeline keeps its order if a large reply comes first", async () => {
    await start({ maxBufferedBytes: 64 * MB, commandTimeout: 30_000 });
    await run(gateway, "SET", "order", "0");
    const body: string[][] = Array.from({ length: 5_000 }, () => ["INCR", "order"]);
    body[10] = ["GET", "nul"];
    const all = Promise.all([1, 2].map(() => call(gateway, "/pipeline", { body })));
    for (const { json } of await all) {
      const numbers: number[] = json
        .filter((_: unknown, at: number) => at !== 10)
        .map((each: any) => each.result ?? each.error);
      expect(numbers.find((each) => typeof each !== "number")).toBeUndefined();
      expect(numbers.length).toBe(4_999);
      expect(numbers.every((each, at) => at === 0 || each > numbers[at - 1]!)).toBe(true);
      expect(json[10].result.length).toBe(SIZE);
    }
    expect(await run(gateway, "GET", "order")).toBe(String(2 * 4_999));
  });

  test("a body is read only as far as its token may send", async () => {
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
    const port = Number(new URL(gateway.url).port);
    const unfinished = [MB, MB].map((size) => {
      const socket = connect(port, "127.0.0.1").on("error", () => {});
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

  test("buffered bytes are freed when requests end, in every way", async () => {
    await start();
    const sockets = Array.from({ length: 4 }, () => {
      const socket = connect(Number(new URL(gateway.url).port), "127.0.0.1").on("error", () => {});
      socket.pause();
      socket.write("GET /get/nul HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n");
      return socket;
    });
    await call(gateway, "/pipeline", { body: Array.from({ length: 5_000 }, () => ["ECHO", "x"]) });
    await new Promise((resolve) => setTimeout(resolve, 300));
    for (const socket of sockets) socket.destroy();
    await expect.poll(() => buffered()).toBe(0);
  });
});

async function buffered(): Promise<number> {
  const { text } = await call(gateway, "/metrics");
  return Number(/^warmline_gateway_buffered_bytes (\d+)$/m.exec(text)?.[1]);
}

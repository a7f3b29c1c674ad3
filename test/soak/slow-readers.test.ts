import { execFile } from "node:child_process";
import { connect, type Socket } from "node:net";
import { beforeAll, describe, expect, test } from "vitest";
import { startRedis } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../gateway/src/index.js";
import { CliProcess } from "../integration/cli/cli-process.js";
import { metric, run } from "../integration/gateway/http.js";
import { forTest, sharedByTests } from "../support/lifetime.js";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
/** Several times the size of the kernel's buffers on loopback, in bytes. */
const SIZE = 24_000_000;
/** Longer than a connection lingers after its last byte, in ms. */
const LONG = 2_600;

let gateway: Gateway;

/** A client that reads nothing until `socket.resume()`, or a little at a time by `sip()`. */
class Reader {
  readonly socket: Socket;
  bytes = 0;
  closed = false;
  reset = false;

  constructor(port: number, request: string) {
    this.socket = connect(port, "127.0.0.1");
    forTest({ close: () => this.socket.destroy() });
    this.socket.pause();
    this.socket.on("data", (chunk) => {
      this.bytes += chunk.length;
    });
    this.socket.on("error", () => {
      this.reset = true;
    });
    this.socket.on("close", () => {
      this.closed = true;
    });
    this.socket.write(request.replace("\r\n\r\n", "\r\nAuthorization: Bearer t\r\n\r\n"));
  }

  /** Reads for a moment every `everyMs` until the connection has ended. */
  async sip(everyMs: number): Promise<void> {
    while (!this.closed) {
      this.socket.resume();
      await sleep(1);
      this.socket.pause();
      await sleep(everyMs);
    }
  }
}

/**
 * A client that waits before it reads, in bash. In Node, libuv would report a reset that arrives before the last bytes as the end
 * of the stream.
 */
async function readLate(port: number, request: string): Promise<{ bytes: number; reset: boolean }> {
  const script = `exec 3<>/dev/tcp/127.0.0.1/$1; printf %s "$2" >&3; sleep $3; cat <&3 | wc -c; exit \${PIPESTATUS[0]}`;
  const text = request.replace("\r\n\r\n", "\r\nAuthorization: Bearer t\r\n\r\n");
  const args = ["-c", script, "bash", String(port), text, String(LONG / 1_000)];
  return new Promise((resolve) => {
    execFile("bash", args, (error, stdout, stderr) => {
      resolve({ bytes: Number(stdout), reset: error !== null && stderr.includes("reset") });
    });
  });
}

async function start(options: Partial<GatewayOptions> = {}): Promise<number> {
  gateway = forTest(await createGateway({ redis: redis.url, port: 0, token: "t", ...options }));
  return Number(new URL(gateway.url).port);
}

const get = (path: string, version = "1.1", headers = "") =>
  `GET ${path} HTTP/${version}\r\nHost: localhost${headers}\r\n\r\n`;
const CLOSE = "\r\nConnection: close";

const redis = sharedByTests(() => startRedis());

describe("slow readers", { tags: "redis-server" }, () => {
  beforeAll(async () => {
    const loader = await createGateway({ redis: redis.url, port: 0, token: "t" });
    for (let i = 0; i < 8; i++) await run(loader, "APPEND", "big", "x".repeat(SIZE / 8));
    for (const list of ["close", "old"]) {
      const elements = new Array(24).fill("y".repeat(100_000));
      for (let i = 0; i < 10; i++) await run(loader, "RPUSH", `list:${list}`, ...elements);
    }
    await loader.close();
  });

  const cases = [
    { name: "Connection: close", request: get("/getrange/big/0/-1", "1.1", CLOSE), size: SIZE },
    { name: "HTTP/1.0", request: get("/getrange/big/0/-1", "1.0"), size: SIZE },
    { name: "Connection: close, LPOP", request: get("/lpop/list:close/240", "1.1", CLOSE), size: 24_000_000 },
    { name: "HTTP/1.0, LPOP", request: get("/lpop/list:old/240", "1.0"), size: 24_000_000 },
    {
      name: "Connection: close, RESP2",
      request: get("/getrange/big/0/-1", "1.1", `${CLOSE}\r\nUpstash-Response-Format: resp2`),
      size: SIZE,
    },
  ];
  test("a response arrives whole, however late its reader is", async () => {
    const port = await start();
    const all = cases.map(({ request }) => new Reader(port, request));
    await sleep(LONG);
    for (const reader of all) reader.socket.resume();
    await expect.poll(() => all.every(({ closed }) => closed), { timeout: 60_000 }).toBe(true);
    for (const [at, { name, size }] of cases.entries()) {
      expect([name, all[at]!.reset, all[at]!.bytes > size]).toEqual([name, false, true]);
    }
  }, 90_000);

  test("a slow reader is kept, and one that reads nothing is disconnected", async () => {
    const port = await start({ bodyTimeout: 1_000 });
    const slow = new Reader(port, get("/getrange/big/0/-1", "1.1", CLOSE));
    const stuck = new Reader(port, get("/getrange/big/0/-1", "1.1", CLOSE));
    const sipped = slow.sip(250);
    await sleep(LONG);
    stuck.socket.resume();
    await expect.poll(() => stuck.closed, { timeout: 10_000 }).toBe(true);
    expect(stuck.bytes).toBeLessThan(SIZE);
    await Promise.race([sipped, sleep(60_000)]);
    expect([slow.reset, slow.bytes > SIZE]).toEqual([false, true]);
  }, 90_000);

  test.each([
    ["bodyTimeout", { bodyTimeout: 500 }],
    ["maxBufferedBytes", { maxBufferedBytes: 8e6 }],
  ])("a cut response over HTTP/1.0 ends with a reset: cut by %s", async (_, options) => {
    const port = await start(options);
    // Redis is stopped until all requests wait on one connection to it. Together their replies exceed maxBufferedBytes.
    process.kill(redis.pid, "SIGSTOP");
    const reading = [1, 2, 3, 4].map(() => readLate(port, get("/getrange/big/0/-1", "1.0")));
    const active = () => metric(gateway, 'connections{state="active"}');
    try {
      // The request for the metrics is active too.
      await expect.poll(active).toBe(reading.length + 1);
    } finally {
      process.kill(redis.pid, "SIGCONT");
    }
    const all = await Promise.all(reading);
    // If no memory at all is left for a reply, the response is a short error instead.
    const cut = all.filter(({ bytes }) => bytes > 1_000 && bytes <= SIZE);
    expect(cut.length).toBeGreaterThan(0);
    expect(cut.filter(({ reset }) => !reset)).toEqual([]);
  });

  test("softMaxConnections closes no connection whose response is still being sent", async () => {
    const port = await start({ softMaxConnections: 2, maxConnections: 10 });
    const slow = new Reader(port, get("/getrange/big/0/-1"));
    await sleep(1_500);
    for (let i = 0; i < 4; i++) {
      new Reader(port, get("/ping")).socket.resume();
      await sleep(30);
    }
    slow.socket.resume();
    await expect.poll(() => slow.bytes > SIZE, { timeout: 10_000 }).toBe(true);
    expect(slow.closed).toBe(false);
  });

  test("SIGTERM lets a response finish within the shutdown timeout", async () => {
    const cli = new CliProcess([
      "--redis",
      redis.url,
      "--port",
      "0",
      "--token",
      "t",
      "--shutdown-timeout",
      "20s",
    ]);
    const port = Number((await cli.printed(/ready http:\/\/127\.0\.0\.1:(\d+)/))[1]);
    const reader = new Reader(port, get("/getrange/big/0/-1"));
    // Wait until the gateway buffers the rest of the response.
    const metrics = async () => {
      const headers = { authorization: "Bearer t" };
      return (await fetch(`http://127.0.0.1:${port}/metrics`, { headers })).text();
    };
    await expect.poll(metrics).toMatch(/^warmline_gateway_buffered_bytes [1-9]/m);
    const ended = cli.stop();
    await sleep(LONG);
    reader.socket.resume();
    expect(await ended).toBe(0);
    await expect.poll(() => reader.closed).toBe(true);
    expect([reader.reset, reader.bytes > SIZE]).toEqual([false, true]);
  });
});

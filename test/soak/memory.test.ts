import { readFileSync } from "node:fs";
import { request } from "node:http";
import { connect, type Socket } from "node:net";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GatewayProcess, type RedisServer, startGatewayProcess, startRedis } from "warmline-testbed";
import { scaled } from "../support/random-tests.js";

/** Memory limit of the gateway: the one in the shipped Kubernetes file. */
const LIMIT_MB = 512;
const SECONDS = scaled(10);
/** The longest time in ms for which a well-behaved client may get no response. */
const MAX_GAP = 5_000;
/** The longest time in ms that a response may take beyond pauses of Redis, if the gateway has a processor to itself. */
const MAX_DELAY = 100;
const READER = "reads-alone";
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

let redis: RedisServer;
let gateway: GatewayProcess;
let probe: Probe;
/** A client of Redis itself, beside the gateway: its pauses are Redis's own, and the gateway's clients have them too. */
let redisProbe: Probe;
let peakMb = 0;
let watch: NodeJS.Timeout;
let atStart: ProcessorTime;

interface ProcessorTime {
  readonly ran: number;
  /** The time for which it could have run, but other processes had the processors. */
  readonly waited: number;
}

/** The times in ns of the gateway's main thread. */
function processorTime(): ProcessorTime {
  const [ran = 0, waited = 0] = readFileSync(`/proc/${gateway.pid}/schedstat`, "utf8").split(" ").map(Number);
  return { ran, waited };
}

function residentMb(): number {
  const [, kb] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${gateway.pid}/status`, "utf8")) ?? [];
  return Number(kb) / 1024;
}

/** A well-behaved client, in a separate thread. */
class Probe {
  readonly #worker: Worker;

  constructor(target: object, request: string, expected: string) {
    this.#worker = new Worker(new URL("./probe.mjs", import.meta.url), {
      workerData: { target, request, expected, everyMs: 5 },
    });
  }

  static ofGateway(): Probe {
    const head = `GET /get/small HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`;
    return new Probe({ port: gateway.port, host: "127.0.0.1" }, head, '{"result":"s"}');
  }

  static ofRedis(): Probe {
    return new Probe({ path: redis.path }, "*2\r\n$3\r\nGET\r\n$5\r\nsmall\r\n", "$1\r\ns\r\n");
  }

  async stop() {
    const said = new Promise<{ took: number[]; errors: number; longestGap: number }>((resolve) =>
      this.#worker.once("message", resolve),
    );
    this.#worker.postMessage("stop");
    const { took, errors, longestGap } = await said;
    await this.#worker.terminate();
    took.sort((a, b) => a - b);
    const p99 = took[Math.floor(took.length * 0.99)]!;
    return { worst: took.at(-1)!, p99, count: took.length, errors, longestGap };
  }
}

/** Sends a request and counts the bytes of the response; `cut` where it is not complete. */
function call(path: string, body?: string, headers: Record<string, string> = {}) {
  return new Promise<{ status: number; size: number; cut: boolean }>((resolve, reject) => {
    const options = {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${gateway.token}`, ...headers },
    };
    const req = request(gateway.url + path, options, (res) => {
      let size = 0;
      res.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      res.on("error", () => {});
      res.on("close", () => resolve({ status: res.statusCode!, size, cut: !res.complete }));
    });
    req.on("error", reject);
    req.end(body);
  });
}

const run = (...args: string[]) => call("/", JSON.stringify(args));

beforeEach(async () => {
  redis = await startRedis();
  gateway = await startGatewayProcess({
    args: [
      ...["--redis", redis.url, "--max-queued-commands", "400000"],
      ...["--max-buffered-bytes", `${LIMIT_MB / 4}mb`],
      // On a machine that is busy with other work, no response may be cut by a timeout.
      ...["--command-timeout", "30s"],
    ],
    env: {
      NODE_OPTIONS: `--max-old-space-size=${LIMIT_MB / 2}`,
      WARMLINE_GATEWAY_TOKENS: JSON.stringify([{ name: "page", token: READER, role: "read-only" }]),
    },
  });
  await run("SET", "small", "s");
  await run("SETRANGE", "nul", "99999999", "x");
  await run("SETRANGE", "nul20", "19999999", "x");
  for (let i = 0; i < 4; i++) await run("APPEND", "a20", "a".repeat(5_000_000));
  peakMb = 0;
  atStart = processorTime();
  watch = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb());
  }, 10);
  probe = Probe.ofGateway();
  redisProbe = Probe.ofRedis();
});
afterEach(async () => {
  clearInterval(watch);
  await gateway.stop();
  await redis.stop();
});

/** No request was refused or held up meanwhile, and the gateway is alive, within its memory. */
async function expectServed(name: string): Promise<void> {
  const { worst, p99, count, errors, longestGap } = await probe.stop();
  const ofRedis = await redisProbe.stop();
  const figures = `worst ${worst.toFixed(0)} ms, 99th percentile ${p99.toFixed(1)} ms of ${count}`;
  const redisFigures = `worst ${ofRedis.worst.toFixed(0)} ms, 99th percentile ${ofRedis.p99.toFixed(1)} ms`;
  console.info(
    `${name}: ${peakMb.toFixed(0)} MB at most; a well-behaved client: ${figures}; one of Redis itself: ${redisFigures}`,
  );
  expect(errors).toBe(0);
  expect(count).toBeGreaterThan(0);
  expect(longestGap).toBeLessThan(MAX_GAP);
  const { ran, waited } = processorTime();
  // On a busy machine, everything that the gateway does takes this many times longer.
  const slowdown = 1 + (waited - atStart.waited) / (ran - atStart.ran);
  // A pause of Redis or of the machine is in both.
  expect(worst, `slowed down ${slowdown.toFixed(1)} times`).toBeLessThan(
    MAX_DELAY * slowdown + 2 * ofRedis.worst,
  );
  expect((await gateway.health()).status).toBe("ok");
  expect(peakMb).toBeLessThan(LIMIT_MB);
}

describe(`within ${LIMIT_MB} MB`, { timeout: 240_000 }, () => {
  test("a reply of 100 MB fits, in JSON, base64 and RESP2", async () => {
    expect(await call("/get/nul")).toEqual({ status: 200, size: 600_000_008, cut: false });
    const base64 = await call("/get/nul", undefined, { "upstash-encoding": "base64" });
    expect(base64).toEqual({ status: 200, size: 133_333_349, cut: false });
    const resp2 = await call("/get/nul", undefined, { "upstash-response-format": "resp2" });
    expect(resp2).toEqual({ status: 200, size: 100_000_014, cut: false });
    await expectServed("a reply of 100 MB");
  });

  test("45 unfinished bodies of 10 MB fit, by a read-only token and by one that may write", async () => {
    const sockets: Socket[] = [];
    for (const token of [READER, gateway.token]) {
      for (let i = 0; i < 45; i++) {
        const socket = connect(gateway.port, "127.0.0.1").on("error", () => {});
        sockets.push(socket);
        socket.resume();
        const head = `POST / HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nContent-Length: 10485760\r\n\r\n`;
        socket.write(`${head}["SET","k","`);
        socket.write("x".repeat(10_000_000));
      }
      await sleep(3_000);
    }
    await sleep(4_000);
    await expectServed("90 unfinished bodies of 10 MB");
    for (const socket of sockets) socket.destroy();
  });

  test.each(["a20", "nul20"])("a pipeline of 30 GETs of 20 MB fits: %s", async (key) => {
    const { status, size, cut } = await call("/pipeline", JSON.stringify(new Array(30).fill(["GET", key])));
    expect({ status, cut }).toEqual({ status: 200, cut: false });
    expect(size).toBe(30 * 20_000_000 * (key === "a20" ? 1 : 6) + (key === "a20" ? 421 : 271));
    await expectServed(`a pipeline of 30 GETs of 20 MB (${key})`);
  });

  test(`a 100 MB reply, a 100,000-command pipeline and a slow reader fit for ${SECONDS} s`, async () => {
    const slow = connect(gateway.port, "127.0.0.1").on("error", () => {});
    let [read, head] = [0, ""];
    slow.on("data", (chunk) => {
      if (read === 0) head = chunk.toString("latin1", 0, 15);
      read += chunk.length;
      slow.pause();
      setTimeout(() => slow.resume(), 50);
    });
    slow.write(`GET /get/nul HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${gateway.token}\r\n\r\n`);
    // By then its reply has an exclusive connection to Redis, which is read no faster than the client reads.
    await sleep(1_000);
    const pipeline = JSON.stringify(new Array(100_000).fill(["GET", "small"]));
    const until = performance.now() + SECONDS * 1_000;
    let [replies, pipelines] = [0, 0];
    const during = async (use: () => Promise<void>) => {
      while (performance.now() < until) await use();
    };
    await Promise.all([
      during(async () => {
        expect((await call("/get/nul")).size).toBe(600_000_008);
        replies++;
        await sleep(1_000);
      }),
      during(async () => {
        expect((await call("/pipeline", pipeline)).size).toBe(100_000 * 15 + 1);
        pipelines++;
        await sleep(1_000);
      }),
    ]);
    // Its connection served it throughout.
    const readBefore = read;
    await expect.poll(() => read).toBeGreaterThan(readBefore);
    expect([head, slow.closed]).toEqual(["HTTP/1.1 200 OK", false]);
    expect(read).toBeGreaterThan(SECONDS * 100_000);
    slow.destroy();
    await expectServed(`${SECONDS} s of mixed load (${replies} replies of 100 MB, ${pipelines} pipelines)`);
  });
});

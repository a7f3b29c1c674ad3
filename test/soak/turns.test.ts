import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type GatewayProcess, type RedisServer, startGatewayProcess, startRedis } from "warmline-testbed";

// The processor time that the gateway takes before it serves the next client.

/** The limit on one iteration of the event loop, in ms. */
const LIMIT = 50;
const COMMANDS = 100_000;

const folder = mkdtempSync(join(tmpdir(), "warmline-turns-"));
const file = join(folder, "longest");
let redis: RedisServer;
let gateway: GatewayProcess;

/** Sends a request, and counts the bytes of the response. */
function call(path: string, body?: string, headers: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = {
      method: body === undefined ? "GET" : "POST",
      headers: { authorization: `Bearer ${gateway.token}`, ...headers },
    };
    const req = request(gateway.url + path, options, (res) => {
      let size = 0;
      res.on("data", (chunk: Buffer) => {
        size += chunk.length;
      });
      res.on("error", reject).on("end", () => resolve(size));
    });
    req.on("error", reject).end(body);
  });
}

/** The longest iteration of the event loop since the last call, in ms. */
async function longestTurn(): Promise<number> {
  process.kill(gateway.pid, "SIGUSR2");
  await expect.poll(() => existsSync(file)).toBe(true);
  await expect.poll(() => readFileSync(file, "utf8")).not.toBe("");
  const longest = Number(readFileSync(file, "utf8"));
  rmSync(file);
  return longest;
}

beforeAll(async () => {
  redis = await startRedis();
  gateway = await startGatewayProcess({
    args: ["--redis", redis.url, "--max-buffered-bytes", "128mb", "--command-timeout", "60s"],
    env: {
      NODE_OPTIONS: `--require ${fileURLToPath(new URL("./turn-probe.cjs", import.meta.url))}`,
      TURN_PROBE_FILE: file,
    },
  });
  await redis.command("SET", "small", "s");
  await redis.command("SETRANGE", "nul", "99999999", "x");
});
afterAll(async () => {
  await gateway?.stop();
  await redis?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const batch = (...command: string[]) => JSON.stringify(new Array(COMMANDS).fill(command));

describe(`within ${LIMIT} ms of processor time`, { timeout: 120_000 }, () => {
  test.each<[string, () => Promise<unknown>]>([
    ["a reply of 100 MB in JSON", () => call("/get/nul")],
    ["a reply of 100 MB in RESP2", () => call("/get/nul", undefined, { "upstash-response-format": "resp2" })],
    ["a pipeline of 100,000 commands", () => call("/pipeline", batch("GET", "small"))],
    ["a pipeline of 100,000 denied commands", () => call("/pipeline", batch("MULTI"))],
    [
      "pipelines beyond the queue",
      () => Promise.all([1, 2, 3].map(() => call("/pipeline", batch("GET", "small")))),
    ],
    ["a transaction of 100,000 commands", () => call("/multi-exec", batch("GET", "small"))],
  ])("other clients are served during %s", async (_, load) => {
    // Code is compiled, and the heap grows, the first time.
    await load();
    await longestTurn();
    await load();
    expect(await longestTurn()).toBeLessThan(LIMIT);
  });
});

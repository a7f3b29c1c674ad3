import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type GatewayProcess, startGatewayProcess } from "warmline-testbed";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { Redis } from "../../../src/index.js";
import { type EngineServer, startEngineServer } from "../../support/engine-server.js";
import { type Listening, listen } from "../subscribe/listen.js";
import { embeddedEngine } from "./engines.js";
import { call, type GatewayResponse } from "./http.js";

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

function expectLimited(
  { status, headers, json }: GatewayResponse,
  message: RegExp,
  retryAfter: RegExp,
): void {
  expect(status).toBe(429);
  expect(headers["retry-after"]).toMatch(retryAfter);
  expect(headers["warmline-outcome"]).toBe("unsent");
  expect(json.error).toMatch(message);
}

describe("limits of a token, whatever the engine", () => {
  let gateway: Gateway;
  let stop: () => Promise<void>;
  const streams: Listening[] = [];
  const begin = async (limits: object, options: Partial<GatewayOptions> = {}) => {
    ({ gateway, stop } = await embeddedEngine.start({
      shutdownTimeout: 0,
      tokens: [
        { name: "page", token: "page", limits },
        { name: "app", token: "app" },
      ],
      ...options,
    }));
  };
  const send = (body: readonly unknown[], path = "/", token = "page") => call(gateway, path, { token, body });
  afterEach(async () => {
    for (const stream of streams.splice(0)) stream.close();
    await stop();
  });

  test("commandsPerSecond counts each command, alone, in a pipeline and in a transaction", async () => {
    await begin({ commandsPerSecond: 5 });
    const pair = [
      ["INCR", "n"],
      ["INCR", "n"],
    ];
    expect((await send(["INCR", "n"])).status).toBe(200);
    expect((await send(pair, "/pipeline")).status).toBe(200);
    expect((await send(pair, "/multi-exec")).status).toBe(200);
    // A second's worth is there only after a second.
    const five = [...pair, ...pair, ["INCR", "n"]];
    const refused = await send(five, "/pipeline");
    expectLimited(refused, /may send 5 commands per second \(limit commandsPerSecond\)/, /^1$/);
    expect((await send(["GET", "n"], "/", "app")).json).toEqual({ result: "5" });
    await sleep(1_050);
    expect((await send(pair, "/pipeline")).json).toEqual([{ result: 6 }, { result: 7 }]);
  });

  test("a batch larger than commandsPerSecond is paid for before the next command", async () => {
    await begin({ commandsPerSecond: 5 });
    const body = Array.from({ length: 14 }, () => ["PING"]);
    expect((await send(body, "/pipeline")).status).toBe(200);
    expectLimited(await send(["PING"]), /commandsPerSecond/, /^[12]$/);
  });

  test.each([
    ["alone", "/", ["PUBLISH", "news", "x"]],
    ["in a pipeline", "/pipeline", [["PUBLISH", "news", "x"]]],
    ["in a transaction", "/multi-exec", [["PUBLISH", "news", "x"]]],
  ])(
    "a publication %s is let in, and its deliveries delay the next command of its token",
    async (_, path, body) => {
      await begin({ commandsPerSecond: 5 });
      for (let i = 0; i < 12; i++) {
        const stream = i % 2 ? "/subscribe/news" : "/psubscribe/n*";
        streams.push(await listen(gateway, stream, { token: "app" }));
      }
      await expect.poll(() => streams.every(({ data }) => data.length > 0)).toBe(true);
      // The deliveries of a script do not count.
      expect((await send(["EVAL", "return redis.call('PUBLISH', 'news', 'x')", "0"])).status).toBe(200);
      expect((await send(body, path)).status).toBe(200);
      // Of the 5 of a second, 14 were used: 1 for the script, 1 for the publication, and 12 for its deliveries.
      expectLimited(await send(["PING"]), /commandsPerSecond/, /^[12]$/);
      expect((await send(["PING"], "/", "app")).status).toBe(200);
    },
  );

  test("concurrentRequests counts blocking commands and event streams", async () => {
    await begin({ concurrentRequests: 2 }, { token: "main" });
    streams.push(await listen(gateway, "/subscribe/c", { token: "page" }));
    const waiting = send(["BLPOP", "l", "20"]);
    const blocked = async () => (await call(gateway, "/metrics", { token: "main" })).text;
    await expect.poll(blocked).toContain('upstream_connections{use="blocking"} 1\n');
    expectLimited(await send(["PING"]), /has 2 requests in flight \(limit concurrentRequests\)/, /^1$/);
    expectLimited(await call(gateway, "/subscribe/d", { token: "page" }), /limit concurrentRequests/, /^1$/);
    expect((await send(["RPUSH", "l", "v"], "/", "app")).status).toBe(200);
    expect((await waiting).status).toBe(200);
    expect((await send(["PING"])).status).toBe(200);
    streams[0]!.close();
    const again = async () => {
      streams.push(await listen(gateway, "/subscribe/d", { token: "page" }));
      return streams.at(-1)!.status;
    };
    await expect.poll(again).toBe(200);
  });

  test("bytesPerSecond counts requests and responses", async () => {
    await begin({ bytesPerSecond: "10kb" });
    const value = "x".repeat(30_000);
    expect((await send(["SET", "k", value])).status).toBe(200);
    expectLimited(await send(["GET", "k"]), /10240 bytes per second \(limit bytesPerSecond\)/, /^[12]$/);
    await sleep(2_050);
    expect((await send(["GET", "k"])).status).toBe(200);
    expectLimited(await send(["PING"]), /limit bytesPerSecond/, /^[123]$/);
  });

  test("bytesPerSecond counts event streams", async () => {
    await begin({ bytesPerSecond: "10kb" });
    streams.push(await listen(gateway, "/subscribe/c", { token: "page" }));
    await send(["PUBLISH", "c", "x".repeat(200_000)], "/", "app");
    await expect.poll(() => streams[0]!.data.length).toBe(2);
    const limited = await send(["PING"]);
    expect(limited.status).toBe(429);
    expect(limited.json.error).toContain("limit bytesPerSecond");
  });

  test("the client waits for Retry-After, and every write is applied once", async () => {
    await begin({ commandsPerSecond: 20 });
    const redis = new Redis({
      url: gateway.url,
      token: "page",
      enableAutoPipelining: false,
      timeout: 20_000,
    });
    const began = performance.now();
    const numbers = await Promise.all(Array.from({ length: 40 }, () => redis.incr("n")));
    expect(numbers.sort((a, b) => a - b)).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
    expect(performance.now() - began).toBeGreaterThan(900);
    redis.close();
  });
});

describe("limits of a token", () => {
  test("limits are reloaded with the token file", async () => {
    const folder = mkdtempSync(join(tmpdir(), "warmline-limits-"));
    const tokensFile = join(folder, "tokens.yaml");
    const write = (limits: string) =>
      writeFileSync(tokensFile, `- { name: page, token: page, limits: { ${limits} } }\n`);
    write("commandsPerSecond: 2");
    const gateway = await createGateway({ engine: "embedded", port: 0, token: "main", tokensFile });
    const ping = () => call(gateway, "/", { token: "page", body: ["PING"] });
    const burst = async () =>
      (await Promise.all(Array.from({ length: 10 }, ping))).map(({ status }) => status);
    try {
      expect(await burst()).toContain(429);
      write("commandsPerSecond: 1000");
      await expect.poll(burst, { timeout: 5_000 }).toEqual(Array(10).fill(200));
    } finally {
      await gateway.close();
      rmSync(folder, { recursive: true });
    }
  });
});

describe("limits of a token over workers", () => {
  let server: EngineServer;
  let gateway: GatewayProcess;
  beforeEach(async () => {
    server = await startEngineServer();
  });
  afterEach(async () => {
    await gateway?.stop();
    await server.stop();
  });
  const begin = async (tokens: string) => {
    const args = ["--redis", server.url, "--workers", "2", "--tokens", tokens];
    gateway = await startGatewayProcess({ args });
  };

  test("limits are divided among workers", { tags: "full-run" }, async () => {
    const tokens = JSON.stringify([{ name: "page", token: "page", limits: { commandsPerSecond: 20 } }]);
    await begin(tokens);
    const send = (body: unknown) =>
      fetch(gateway.url, {
        method: "POST",
        headers: { authorization: "Bearer page" },
        body: JSON.stringify(body),
      });
    const began = performance.now();
    let done = 0;
    const errors = new Set<string>();
    // A busy machine needs longer to send more than it may.
    while (performance.now() - began < 1_500 || (errors.size === 0 && performance.now() - began < 20_000)) {
      // Each on a separate connection, so that both workers get some.
      const responses = await Promise.all([1, 2, 3, 4].map(() => send(["PING"])));
      for (const response of responses) {
        if (response.status === 200) done++;
        else errors.add(((await response.json()) as { error: string }).error);
      }
    }
    const seconds = (performance.now() - began) / 1_000;
    expect(done).toBeLessThanOrEqual(20 * seconds + 20);
    expect(done).toBeGreaterThanOrEqual(20);
    expect([...errors].join()).toMatch(/limit commandsPerSecond, divided by 2 workers/);
  });

  test("concurrent requests and bytes are divided among workers", async () => {
    const tokens = JSON.stringify([
      { name: "jobs", token: "jobs", limits: { concurrentRequests: 4 } },
      { name: "bulk", token: "bulk", limits: { bytesPerSecond: 200_000 } },
    ]);
    await begin(tokens);
    const send = async (token: string, body: unknown) => {
      const headers = { authorization: `Bearer ${token}`, connection: "close" };
      const response = await fetch(gateway.url, { method: "POST", headers, body: JSON.stringify(body) });
      return { status: response.status, text: await response.text() };
    };
    let settled = 0;
    const waiting = Array.from({ length: 12 }, () =>
      send("jobs", ["BLPOP", "l", "30"]).finally(() => settled++),
    );
    await expect.poll(() => settled).toBeGreaterThanOrEqual(8);
    await send("bulk", ["RPUSH", "l", "1", "2", "3", "4"]);
    const waits = await Promise.all(waiting);
    const admitted = waits.filter(({ status }) => status === 200).length;
    expect(admitted).toBeGreaterThan(0);
    expect(admitted).toBeLessThanOrEqual(4);
    expect(waits.map(({ text }) => text).join()).toMatch(/limit concurrentRequests, divided by 2 workers/);

    // Each request is 50 KB, and so is its response. One that begins within the limit may exceed it.
    const echoes: Awaited<ReturnType<typeof send>>[] = [];
    const refusals = () => echoes.filter(({ status }) => status === 429);
    for (let round = 0; round < 10 && refusals().length === 0; round++) {
      const some = Array.from({ length: 10 }, () => send("bulk", ["ECHO", "x".repeat(50_000)]));
      echoes.push(...(await Promise.all(some)));
    }
    const refused = refusals();
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThan(echoes.length);
    for (const { text } of refused) expect(text).toMatch(/limit bytesPerSecond, divided by 2 workers/);
  });
});

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { createGateway, type Gateway, type GatewayOptions } from "../../../gateway/src/index.js";
import { Redis } from "../../../src/index.js";
import { commands } from "../../support/commands.js";
import { forTest } from "../../support/lifetime.js";
import { newFolder } from "../../support/new-folder.js";
import { listen } from "../subscribe/listen.js";
import { embeddedEngine } from "./engines.js";
import { call, type GatewayResponse } from "./http.js";

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
  const begin = async (limits: object, options: Partial<GatewayOptions> = {}) => {
    const tokens = [
      { name: "page", token: "page", limits },
      { name: "app", token: "app" },
    ];
    gateway = forTest(await embeddedEngine.start({ shutdownTimeout: 0, tokens, ...options }));
  };
  const send = (body: readonly unknown[], path = "/", token = "page") => call(gateway, path, { token, body });
  const open = async (path: string, token = "page") => forTest(await listen(gateway, path, { token }));

  test("commandsPerSecond counts each command, alone, in a pipeline and in a transaction", async () => {
    await begin({ commandsPerSecond: 5 });
    const pair = commands("INCR n", "INCR n");
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
  ])("a publication %s is let in; its deliveries delay its token's next command", async (_, path, body) => {
    await begin({ commandsPerSecond: 5 });
    const paths = Array.from({ length: 12 }, (_, i) => (i % 2 ? "/subscribe/news" : "/psubscribe/n*"));
    const streams = await Promise.all(paths.map((each) => open(each, "app")));
    await expect.poll(() => streams.every(({ data }) => data.length > 0)).toBe(true);
    // The deliveries of a script do not count.
    expect((await send(["EVAL", "return redis.call('PUBLISH', 'news', 'x')", "0"])).status).toBe(200);
    expect((await send(body, path)).status).toBe(200);
    // Of the 5 of a second, 14 were used: 1 for the script, 1 for the publication, and 12 for its deliveries.
    expectLimited(await send(["PING"]), /commandsPerSecond/, /^[12]$/);
    expect((await send(["PING"], "/", "app")).status).toBe(200);
  });

  test("commandsPerSecond counts each channel that a stream is opened for", async () => {
    await begin({ commandsPerSecond: 5 });
    await open("/subscribe/a/b/c/d/e/f/g/h/i/j/k/l/m/n");
    expectLimited(await send(["PING"]), /limit commandsPerSecond/, /^[12]$/);
  });

  test("concurrentRequests counts blocking commands and event streams", async () => {
    await begin({ concurrentRequests: 2 }, { token: "main" });
    const stream = await open("/subscribe/c");
    const waiting = send(["BLPOP", "l", "20"]);
    const blocked = async () => (await call(gateway, "/metrics", { token: "main" })).text;
    await expect.poll(blocked).toContain('upstream_connections{use="blocking"} 1\n');
    expectLimited(await send(["PING"]), /has 2 requests in flight \(limit concurrentRequests\)/, /^1$/);
    expectLimited(await call(gateway, "/subscribe/d", { token: "page" }), /limit concurrentRequests/, /^1$/);
    expect((await send(["RPUSH", "l", "v"], "/", "app")).status).toBe(200);
    expect((await waiting).status).toBe(200);
    expect((await send(["PING"])).status).toBe(200);
    stream.close();
    await expect.poll(async () => (await open("/subscribe/d")).status).toBe(200);
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
    const stream = await open("/subscribe/c");
    await send(["PUBLISH", "c", "x".repeat(200_000)], "/", "app");
    await expect.poll(() => stream.data.length).toBe(2);
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

test("limits are reloaded with the token file, and the token's event streams stay open", async () => {
  const folder = newFolder("limits");
  const tokensFile = join(folder, "tokens.yaml");
  const write = (limits: string) =>
    writeFileSync(tokensFile, `- { name: page, token: page, limits: { ${limits} } }\n`);
  write("commandsPerSecond: 2");
  const gateway = forTest(await createGateway({ engine: "embedded", port: 0, token: "main", tokensFile }));
  const ping = () => call(gateway, "/", { token: "page", body: ["PING"] });
  const burst = async () => (await Promise.all(Array.from({ length: 10 }, ping))).map(({ status }) => status);
  const stream = forTest(await listen(gateway, "/subscribe/c", { token: "page" }));
  expect(await burst()).toContain(429);
  write("commandsPerSecond: 1000");
  await expect.poll(burst, { timeout: 5_000 }).toEqual(Array(10).fill(200));
  await call(gateway, "/publish/c/m", { token: "main" });
  await expect.poll(() => stream.data).toEqual(["subscribe,c,1", "message,c,m"]);
});

import { afterEach, expect, test } from "vitest";
import { startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { commands } from "../../support/commands.js";
import { forTest } from "../../support/lifetime.js";
import { call, run } from "./http.js";

let gateway: Gateway;
afterEach(() => gateway?.close());

/** The samples of `/metrics` by their full names, labels included. */
async function samples(): Promise<Map<string, number>> {
  const { text } = await call(gateway, "/metrics");
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(
    lines.map((line) => {
      const cut = line.lastIndexOf(" ");
      return [line.slice("warmline_gateway_".length, cut), Number(line.slice(cut + 1))];
    }),
  );
}

test("metrics count responses by route and status, with the time of the gateway and of Redis", async () => {
  gateway = await createGateway({ engine: "embedded", port: 0 });
  for (let i = 0; i < 3; i++) await run(gateway, "SET", "k", i);
  await run(gateway, "NOSUCHCOMMAND");
  await call(gateway, "/pipeline", { body: [["GET", "k"]] });
  await call(gateway, "/multi-exec", { body: [["GET", "k"]] });
  await call(gateway, "/get/k", { token: null });
  await call(gateway, "/", { body: ["BLPOP", "none", "0.05"] });
  const now = await samples();
  expect(now.get('responses_total{route="command",status="200"}')).toBe(4);
  expect(now.get('responses_total{route="command",status="400"}')).toBe(1);
  expect(now.get('responses_total{route="pipeline",status="200"}')).toBe(1);
  expect(now.get('responses_total{route="multi-exec",status="200"}')).toBe(1);
  expect(now.get('responses_total{route="other",status="401"}')).toBe(1);
  const count = 'request_duration_seconds_count{route="command"}';
  expect(now.get(count)).toBe(5);
  expect(now.get('request_duration_seconds_bucket{le="+Inf",route="command"}')).toBe(5);
  expect(now.get('request_duration_seconds_bucket{le="0.025",route="command"}')).toBeLessThanOrEqual(4);
  expect(now.get('request_duration_seconds_sum{route="command"}')).toBeGreaterThan(0.05);
  // Commands that block at Redis do not count toward Redis's latency.
  expect(now.get('upstream_duration_seconds_count{route="command"}')).toBe(4);
  expect(now.get('upstream_duration_seconds_count{route="pipeline"}')).toBe(1);
  expect(now.get('upstream_duration_seconds_count{route="multi-exec"}')).toBe(1);
  expect(now.get('upstream_duration_seconds_sum{route="pipeline"}')).toBeLessThan(
    now.get('request_duration_seconds_sum{route="pipeline"}')!,
  );
  expect(now.get('connections{state="active"}')).toBe(1);
  expect(now.get("upstream_queued_commands")).toBe(0);
  expect(now.get("topology_changes_total")).toBe(0);
  expect(now.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
});

test("metrics count commands by name, and unknown ones together", async () => {
  gateway = await createGateway({ engine: "embedded", port: 0 });
  await run(gateway, "SET", "k", "text");
  await run(gateway, "INCR", "k");
  await run(gateway, "BLPOP", "none", "0.5");
  await run(gateway, "CONFIG", "GET", "port");
  for (let i = 0; i < 50; i++) await run(gateway, `NOSUCH${i}`, "k");
  await call(gateway, "/pipeline", { body: [["GET", "k"], ["INCR", "k"], ["SELECT", "1"], ["NOSUCH"]] });
  await call(gateway, "/multi-exec", { body: commands("GET k", "SET k 1") });
  const now = await samples();
  const of = (name: string) =>
    Object.fromEntries(
      [...now].flatMap(([full, value]) => {
        const [, command] = /^(\w+)\{command="(.*)"\}$/.exec(full)?.slice(1) ?? [];
        return command !== undefined && full.startsWith(`${name}{`) ? [[command, value]] : [];
      }),
    );
  const received = { SET: 2, INCR: 2, BLPOP: 1, "CONFIG GET": 1, GET: 2, SELECT: 1, other: 51 };
  expect(of("commands_total")).toEqual(received);
  expect(of("command_errors_total")).toEqual({
    ...{ SET: 0, BLPOP: 0, GET: 0 },
    ...{ INCR: 2, "CONFIG GET": 1, SELECT: 1, other: 51 },
  });
  const timed = of("command_duration_seconds_count");
  expect(timed).toMatchObject({ SET: 1, INCR: 1, BLPOP: 1, GET: 0, other: 50, "CONFIG GET": 0 });
  const { BLPOP, SET } = of("command_duration_seconds_sum");
  expect(BLPOP).toBeGreaterThan(0.45);
  expect(SET).toBeGreaterThan(0);
});

test("metrics count by the token's name, never by the token", async () => {
  const tokens = [
    { name: "shop", token: "secret-of-shop", role: "read-only" as const },
    { name: "desk", token: "secret-of-desk" },
  ];
  gateway = await createGateway({ engine: "embedded", port: 0, token: "secret-of-main", tokens });
  const by = (token: string, body: unknown[], path = "/") => call(gateway, path, { token, body });
  const written = await by("secret-of-desk", ["SET", "k", "x".repeat(1_000)]);
  await by("secret-of-shop", ["SET", "k", "v"]);
  const read = await by("secret-of-shop", ["GET", "k"]);
  const both = await by("secret-of-shop", commands("GET k", "GET none"), "/pipeline");
  await by("wrong", ["GET", "k"]);
  const { text } = await call(gateway, "/metrics", { token: "secret-of-main" });
  expect(text).not.toContain("secret");
  const value = (name: string, token: string) => {
    const line = text
      .split("\n")
      .find((each) => each.startsWith(`warmline_gateway_${name}{token="${token}"}`));
    return Number(line?.split(" ").at(-1));
  };
  expect([value("token_requests_total", "shop"), value("token_requests_total", "desk")]).toEqual([3, 1]);
  expect([value("token_errors_total", "shop"), value("token_errors_total", "desk")]).toEqual([1, 0]);
  expect([value("token_commands_total", "shop"), value("token_commands_total", "desk")]).toEqual([4, 1]);
  expect(value("token_response_bytes_total", "desk")).toBe(written.bytes.length);
  expect(value("token_response_bytes_total", "shop")).toBeGreaterThan(read.bytes.length + both.bytes.length);
  expect(value("token_request_bytes_total", "desk")).toBe(
    JSON.stringify(["SET", "k", "x".repeat(1_000)]).length,
  );
  expect(text).not.toContain('token="wrong"');
});

test("metrics have histograms of the sizes of requests and responses", async () => {
  gateway = await createGateway({ engine: "embedded", port: 0 });
  const value = "x".repeat(5_000);
  await run(gateway, "SET", "k", value);
  const get = await call(gateway, "/get/k");
  const now = await samples();
  const bucket = (name: string, le: string) => now.get(`${name}_bucket{le="${le}",route="command"}`);
  expect(now.get('request_size_bytes_sum{route="command"}')).toBe(JSON.stringify(["SET", "k", value]).length);
  expect(now.get('response_size_bytes_sum{route="command"}')).toBe(
    get.bytes.length + '{"result":"OK"}'.length,
  );
  expect(["64", "4096", "16384", "+Inf"].map((le) => bucket("request_size_bytes", le))).toEqual([1, 1, 2, 2]);
  expect(["64", "4096", "16384", "+Inf"].map((le) => bucket("response_size_bytes", le))).toEqual([
    1, 1, 2, 2,
  ]);
});

test("redisConnections is the number of connections that commands share", async () => {
  gateway = await createGateway({ engine: "embedded", port: 0, redisConnections: 3 });
  await Promise.all(Array.from({ length: 30 }, () => run(gateway, "PING")));
  expect((await samples()).get('upstream_connections{use="shared"}')).toBe(3);
});

test("/ready responds 200 while Redis replies, and 503 when it does not", async () => {
  const redis = await startFakeRedis();
  gateway = await createGateway({ redis: redis.url, port: 0, token: "t", commandTimeout: 2_000 });
  const ready = () => call(gateway, "/ready", { token: null });
  await expect.poll(async () => (await ready()).status).toBe(200);
  expect((await ready()).json).toEqual({ status: "ready" });
  await redis.close();
  await expect
    .poll(async () => (await ready()).json)
    .toEqual({
      status: "down",
      reason: expect.stringMatching(/^redis at .* (cannot be reached|did not reply)/),
    });
  expect((await ready()).status).toBe(503);
});

test.each([
  "BUSY Redis is busy running a script.",
  "LOADING Redis is loading the dataset in memory",
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  "MISCONF Errors writing to the AOF file: No space left on device",
])("/ready gives 503 while Redis refuses commands, with the reason, and /health 200: %s", async (error) => {
  let isRefusing = false;
  const redis = forTest(
    await startFakeRedis(() => (isRefusing ? { bytes: Buffer.from(`-${error}\r\n`) } : undefined)),
  );
  gateway = await createGateway({ redis: redis.url, port: 0, token: "t" });
  const ask = (path: string) => call(gateway, path, { token: null });
  await expect.poll(async () => (await ask("/ready")).status).toBe(200);
  isRefusing = true;
  const { status, json } = await ask("/ready");
  expect([status, json.status]).toEqual([503, "down"]);
  expect(json.reason).toMatch(/^redis at .* refuses commands: /);
  expect(json.reason).toContain(error);
  expect((await ask("/health")).status).toBe(200);
  isRefusing = false;
  expect((await ask("/ready")).json).toEqual({ status: "ready" });
});

import { afterEach, expect, it } from "vitest";
import { startFakeRedis } from "warmline-testbed";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";
import { call, run } from "./http.js";

let gateway: Gateway;
afterEach(() => gateway.close());

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

it("counts answers by route and status, and how long they and Redis took", async () => {
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
  // What waits at Redis says nothing of how long Redis takes.
  expect(now.get("upstream_duration_seconds_count")).toBe(4);
  expect(now.get('connections{state="active"}')).toBe(1);
  expect(now.get("upstream_pending")).toBe(0);
  expect(now.get("topology_changes_total")).toBe(0);
  expect(now.get("process_resident_memory_bytes")).toBeGreaterThan(1e6);
});

it("is ready while Redis answers, and says when it does not", async () => {
  const redis = await startFakeRedis();
  gateway = await createGateway({ redis: redis.url, port: 0, token: "t", operationTimeout: 300 });
  const ready = () => call(gateway, "/ready", { token: null });
  await expect.poll(async () => (await ready()).status).toBe(200);
  expect((await ready()).json).toEqual({ status: "ready" });
  await redis.close();
  await expect.poll(async () => (await ready()).json).toEqual({ status: "down" });
  expect((await ready()).status).toBe(503);
});

it("answers what runs while it closes, says that the connection ends, and takes nothing new", async () => {
  gateway = await createGateway({ engine: "embedded", port: 0 });
  const waiting = call(gateway, "/", { body: ["BLPOP", "none", "0.4"] });
  await expect.poll(async () => (await samples()).get('connections{state="active"}')).toBe(2);
  const closing = gateway.close();
  const { status, headers } = await waiting;
  expect([status, headers.connection]).toEqual([200, "close"]);
  await closing;
  await expect(call(gateway, "/ready")).rejects.toThrow();
});

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type RedisServer, startRedis } from "warmline-testbed";
import type { Gateway } from "../../gateway/src/index.js";
import { call } from "../integration/gateway/http.js";
import { gatewayAt, run, sleep, until } from "./support.js";

describe("a Redis restarted under load", { tags: "redis-server", retry: 0 }, () => {
  let redis: RedisServer;
  let gateway: Gateway;
  beforeAll(async () => {
    redis = await startRedis({ listen: "tcp", flags: ["--appendonly", "yes", "--appendfsync", "always"] });
    gateway = await gatewayAt(redis.url, { commandTimeout: 1_000 });
  });
  afterAll(async () => {
    await gateway?.close();
    await redis?.stop();
  });

  test("clients get unsent or unknown errors while Redis restarts, then continue without intervention", async () => {
    const acknowledged: number[] = [];
    const unknown: number[] = [];
    let unsent = 0;
    const others: unknown[] = [];
    let running = true;
    const load = async (worker: number) => {
      acknowledged[worker] = unknown[worker] = 0;
      while (running) {
        const { status, headers, json } = await call(gateway, "/", { body: ["INCR", `n${worker}`] });
        if (status === 200) acknowledged[worker]!++;
        else if (headers["warmline-outcome"] === "unknown" && (status === 502 || status === 504))
          unknown[worker]!++;
        else if (headers["warmline-outcome"] === "unsent" && status === 503) {
          unsent++;
          await sleep(20);
        } else if (!String(json.error).startsWith("LOADING")) others.push({ status, json });
      }
    };
    const loads = Array.from({ length: 8 }, (_, worker) => load(worker));
    for (let round = 0; round < 3; round++) {
      await sleep(400);
      await redis.kill();
      await sleep(1_500);
      await until(async () => (await call(gateway, "/health")).status === 503);
      await redis.restart();
      await until(async () => (await call(gateway, "/health")).status === 200);
    }
    await sleep(300);
    running = false;
    await Promise.all(loads);
    expect(others).toEqual([]);
    expect(unsent).toBeGreaterThan(0);
    for (const [worker, count] of acknowledged.entries()) {
      const value = Number(await run(gateway, "GET", `n${worker}`));
      expect(value).toBeGreaterThanOrEqual(count);
      expect(value).toBeLessThanOrEqual(count + unknown[worker]!);
    }
  }, 60_000);
});

import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import { Redis } from "warmline";
import { produce } from "warmline/streams";
import {
  freePorts,
  type GatewayProcess,
  startGatewayProcess,
  startInstance,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { pause } from "../faults/support/rig.js";
import { forTest } from "../support/lifetime.js";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { breaking } from "./breakage.js";

// Events that are delivered again until their handler succeeds, and a stream that is followed meanwhile, while connections
// break, functions are frozen, and the gateway is killed.

const SECONDS = scaled(15);
const FUNCTIONS = 3;
const TOKEN = "deliveries-token";
const HANDLER = fileURLToPath(new URL("./handlers/deliveries.mjs", import.meta.url));

describe(`deliveries and followers, for ${SECONDS} s`, { tags: "redis-server", retry: 0 }, () => {
  test("each event is applied once, and followers get each entry once and in order", async () => {
    const next = mulberry32(SEED);
    const redis = forTest(await startRedis({ listen: "tcp" }));
    const upstream = forTest(await startNetworkProxy({ to: { port: redis.port! }, protocol: "raw" }));
    const [port] = (await freePorts(1)) as [number];
    const startGateway = () =>
      startGatewayProcess({
        args: ["--port", String(port), "--token", TOKEN, "--redis", `redis://127.0.0.1:${upstream.port}`],
      });
    let gateway: GatewayProcess = await startGateway();
    onTestFinished(async () => {
      await gateway.stop();
    });
    const faults = mulberry32(SEED + 1);
    const path = forTest(await startNetworkProxy({ to: { port }, script: () => breaking(faults) }));
    const streams = forTest(await startNetworkProxy({ to: { port } }));
    const start = async (url: string) =>
      forTest(
        await startInstance({
          handler: HANDLER,
          timeoutMs: 3_600_000,
          initTimeoutMs: 60_000,
          freezer: "signals",
          env: { WARMLINE_URL: url, WARMLINE_TOKEN: TOKEN, CLIENT: JSON.stringify({ timeout: 1_500 }) },
        }),
      );
    const functions = await Promise.all(Array.from({ length: FUNCTIONS }, () => start(path.url)));
    const follower = await start(streams.url);
    const followed = follower.invoke({ key: "stream" });

    let over = false;
    const disturbing = [
      async () => {
        await pause(next() * 150);
        if (next() < 0.1) for (const connection of upstream.connections) connection.resetClient();
        if (next() < 0.2) for (const connection of streams.connections) connection.resetClient();
        const all = [...functions, follower];
        const victim = all[Math.floor(next() * all.length)]!;
        await victim.freeze();
        await pause(next() < 0.9 ? next() * 100 : next() * 1_500);
        await victim.thaw();
      },
      async () => {
        await pause(1_000 + next() * 3_000);
        if (over) return;
        if (next() < 0.5) process.kill(gateway.pid, "SIGKILL");
        await gateway.stop();
        gateway = await startGateway();
      },
    ].map(async (disturb) => {
      while (!over) await disturb();
    });

    const until = Date.now() + SECONDS * 1_000;
    let events = 0;
    let failures = 0;
    const replies = new Map<string, unknown>();
    const delivering = functions.map(async (instance) => {
      while (Date.now() < until) {
        const event = `event-${events++}`;
        // Each event is delivered until two deliveries succeed: one more than is needed.
        for (let successes = 0; successes < 2; ) {
          const { result, error } = await instance.invoke({ event });
          if (error) {
            failures++;
            await pause(20);
            continue;
          }
          if (successes++ === 0) replies.set(event, result);
          else expect(result, `${event}`).toEqual(replies.get(event));
        }
      }
    });
    const client = new Redis({ url: streams.url, token: TOKEN, timeout: 30_000, retry: { retries: 100 } });
    const writer = produce(client, "stream").getWriter();
    let written = 0;
    const writing = (async () => {
      while (Date.now() < until) {
        for (let burst = next() * 20; burst > 0; burst--) await writer.write({ n: ++written });
        await pause(next() * 50);
      }
    })();
    await Promise.all([...delivering, writing]).finally(() => {
      over = true;
    });
    await Promise.all(disturbing);
    await writer.close();
    const { result, error } = await followed;
    process.stdout.write(`${events} events, ${failures} deliveries failed, ${written} entries\n`);
    expect(error).toBeUndefined();
    expect(result).toEqual(Array.from({ length: written }, (_, n) => n + 1));
    expect(await redis.command("GET", "events")).toBe(String(events));
    const handled = (await redis.command("LRANGE", "handled", "0", "-1")) as string[];
    expect(handled.sort()).toEqual([...replies.keys()].sort());
    expect(await redis.command("SCARD", "seen")).toBe(events);
    expect(await redis.command("GET", "sum")).toBe(String((events * (events + 1)) / 2));
    expect((await redis.command("HVALS", "places")) as string[]).toEqual(Array(events).fill("1"));
    // The faults did happen.
    expect(failures).toBeGreaterThan(events / 100);
  }, 600_000);
});

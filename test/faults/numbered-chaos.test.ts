import { describe, expect, test } from "vitest";
import { Redis } from "warmline";
import {
  freePorts,
  type GatewayProcess,
  startGatewayProcess,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { forTest } from "../support/lifetime.js";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { type Chaos, increment, startChaoticPath, type Tally } from "./support/chaos.js";
import { pause } from "./support/rig.js";

// Increments through a network that loses, resets, drops, delays and repeats, with numbers and without.

const CLIENTS = 20;
const ROUNDS = scaled(100) / 2;
const TOKEN = "chaos-token";

async function start(...args: string[]): Promise<GatewayProcess> {
  return forTest(await startGatewayProcess({ args: ["--token", TOKEN, ...args] }));
}

/** Runs the clients, each over a path of its own. */
async function run(to: readonly number[], chaos: Omit<Chaos, "to" | "next">): Promise<Tally> {
  const direct = new Redis({ url: `http://127.0.0.1:${to[0]}`, token: TOKEN });
  const tallies = await Promise.all(
    Array.from({ length: CLIENTS }, async (_, at) => {
      const next = mulberry32(SEED + at);
      const path = await startChaoticPath({ to, next, ...chaos });
      const tally = await increment(path.url, TOKEN, direct, next, ROUNDS);
      await path.close();
      return tally;
    }),
  );
  direct.close();
  const sum = (key: "keys" | "unknown") => tallies.reduce((total, tally) => total + tally[key], 0);
  const all = (key: "doubled" | "wrong") => tallies.flatMap((tally) => tally[key]);
  return { keys: sum("keys"), unknown: sum("unknown"), doubled: all("doubled"), wrong: all("wrong") };
}

const print = (name: string, tally: Tally) =>
  process.stdout.write(
    `${name}: ${tally.keys} keys, ${tally.doubled.length} doubled, ${tally.wrong.length} wrong, ${tally.unknown} unknown\n`,
  );

describe("one gateway with its own engine", { tags: ["random", "full-run"], timeout: 1_200_000 }, () => {
  test.each(["", "that is stopped for 0.7 s every 4 s"])("nothing is doubled or wrong %s", async (how) => {
    const gateway = await start("--engine", "embedded");
    const stopping = setInterval(() => {
      if (how === "") return;
      process.kill(gateway.pid, "SIGSTOP");
      setTimeout(() => process.kill(gateway.pid, "SIGCONT"), 700);
    }, 4_000);
    const [numbered, today] = await Promise.all([
      run([gateway.port], { disturbs: true, masks: false }),
      run([gateway.port], { disturbs: true, masks: true }),
    ]).finally(() => clearInterval(stopping));
    await pause(800);
    print("numbered", numbered);
    print("without numbers", today);
    expect([numbered.doubled, numbered.wrong]).toEqual([[], []]);
    // The few calls of a short run vary.
    expect(numbered.unknown).toBeLessThanOrEqual(today.unknown / 5 + 5);
    expect(today.unknown).toBeGreaterThan(today.keys / 50);
  });
});

describe("two gateways before one Redis", { tags: "redis-server", timeout: 1_200_000 }, () => {
  test("no write is doubled or unknown where flows are dropped", async () => {
    const redis = forTest(await startRedis({ listen: "tcp" }));
    const gateways = await Promise.all([start("--redis", redis.url), start("--redis", redis.url)]);
    const tally = await run(
      gateways.map(({ port }) => port),
      { disturbs: false, masks: false },
    );
    print("two gateways", tally);
    expect([tally.doubled, tally.wrong, tally.unknown]).toEqual([[], [], 0]);
  });
});

describe("a graceful restart during a freeze", { timeout: 120_000 }, () => {
  /** A client whose connection is idle while the gateway is replaced, and the flow of the connection is dropped or not. */
  async function restart(drops: boolean, args: readonly string[]) {
    const [port] = (await freePorts(1)) as [number];
    const before = forTest(
      await startGatewayProcess({ args: ["--token", TOKEN, "--port", String(port), ...args] }),
    );
    const path = forTest(await startNetworkProxy({ to: { port } }));
    const redis = new Redis({ url: path.url, token: TOKEN, timeout: 8_000 });
    // It offers numbers once it knows that it is alone.
    const offered = async () =>
      (await fetch(`http://127.0.0.1:${port}/health`)).headers.has("warmline-instance");
    await expect.poll(offered).toBe(true);
    const key = `restart:${Math.random()}`;
    const count = Number(await redis.incr(key));
    if (drops) path.blackholeAll();
    await before.stop();
    const after = await start("--port", String(port), ...args);
    expect(after.port).toBe(port);
    await pause(1_100);
    const value = await redis.incr(key);
    redis.close();
    return value - count;
  }

  test.each([true, false])("a shared Redis applies it once: %s", { tags: "redis-server" }, async (drops) => {
    const server = forTest(await startRedis({ listen: "tcp" }));
    expect(await restart(drops, ["--redis", server.url])).toBe(1);
  });

  test.each([true, false])("the next write is applied once, on its own engine: %s", async (drops) => {
    // The engine keeps nothing.
    expect(await restart(drops, ["--engine", "embedded"])).toBe(0);
  });
});

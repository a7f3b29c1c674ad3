import { fileURLToPath } from "node:url";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { WriteMode } from "warmline";
import {
  type GatewayProcess,
  type Instance,
  type NetworkProxy,
  type RedisServer,
  startGatewayProcess,
  startInstance,
  startNetworkProxy,
  startRedis,
} from "warmline-testbed";
import { chosenConnection } from "../faults/support/program.js";
import { pause } from "../faults/support/rig.js";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { breaking } from "./breakage.js";
import { COUNTERS, markOf, nameOf, planLane, type Step } from "./plan.js";

// Functions that work through a path that breaks at random and are frozen at random: whatever happens, every call
// settles in time, and the outcomes that callers got agree with the data in Redis.

const COMMANDS = scaled(2_000);
const FUNCTIONS = 8;
const LANES = 4;
const TIMEOUT_MS = 2_500;

/** The outcome of one command. */
interface Settlement {
  readonly value?: unknown;
  readonly outcome?: "unsent" | "unknown" | "answered" | "none";
  readonly error?: string;
  readonly message?: string;
}

interface Done {
  readonly settlements: readonly Settlement[];
  /** Duration of the step while the function was awake. */
  readonly ms: number;
}

describe(`${COMMANDS} commands of ${FUNCTIONS} functions`, { tags: "redis-server", retry: 0 }, () => {
  let redis: RedisServer;
  let upstream: NetworkProxy;
  let gateway: GatewayProcess;
  let path: NetworkProxy;
  let functions: Instance[];
  beforeAll(async () => {
    redis = await startRedis({ listen: "tcp" });
    upstream = await startNetworkProxy({ to: { port: redis.port! }, protocol: "raw" });
    gateway = await startGatewayProcess({ args: ["--redis", `redis://127.0.0.1:${upstream.port}`] });
  });
  afterEach(async () => {
    await Promise.all(functions.map((each) => each.stop()));
    await path?.close();
  });
  afterAll(async () => {
    await gateway?.stop();
    await upstream?.close();
    await redis?.stop();
  });

  /** Freezes functions, and breaks connections to Redis, until `stop` is called. */
  async function disturb(next: () => number, stopped: () => boolean): Promise<void> {
    while (!stopped()) {
      await pause(next() * 150);
      if (next() < 0.15) for (const connection of upstream.connections) connection.resetClient();
      const victim = functions[Math.floor(next() * functions.length)]!;
      await victim.freeze();
      await pause(next() < 0.8 ? next() * 200 : next() * 1_500);
      await victim.thaw();
    }
  }

  /** Number of writes that Redis has run, as a text that changes with each. */
  async function writesSeen(): Promise<string> {
    const stats = String(await redis.command("INFO", "commandstats"));
    return stats.match(/^cmdstat_(incr|set|eval):calls=\d+/gm)?.join() ?? "";
  }

  async function soak(writes: WriteMode): Promise<{ plans: Step[][]; results: Done[][]; lanes: string[] }> {
    const next = mulberry32(SEED);
    process.stdout.write(`Soak of writes: "${writes}"\n`);
    await redis.command("FLUSHALL");
    await redis.command("CONFIG", "RESETSTAT");
    const faults = mulberry32(SEED + 1);
    path = await startNetworkProxy({ to: { port: gateway.port }, script: () => breaking(faults) });
    const client = { writes, timeout: TIMEOUT_MS, maxConnections: 8, preconnect: true };
    functions = await Promise.all(
      Array.from({ length: FUNCTIONS }, () =>
        startInstance({
          handler: fileURLToPath(new URL("./handlers/worker.mjs", import.meta.url)),
          timeoutMs: 600_000,
          initTimeoutMs: 60_000,
          freezer: "signals",
          env: {
            WARMLINE_URL: path.url,
            WARMLINE_TOKEN: gateway.token,
            CLIENT: JSON.stringify(client),
            ...chosenConnection,
          },
        }),
      ),
    );
    const lanes = Array.from(
      { length: FUNCTIONS * LANES },
      (_, at) => `${Math.floor(at / LANES)}.${at % LANES}`,
    );
    for (const lane of lanes) await redis.command("SET", nameOf(lane), lane);
    const plans = lanes.map((lane) => planLane(lane, Math.ceil(COMMANDS / lanes.length), next));
    let over = false;
    const disturbing = disturb(next, () => over);
    const invocations = await Promise.all(
      functions.map((each, at) => each.invoke(plans.slice(at * LANES, (at + 1) * LANES))),
    ).finally(() => {
      over = true;
    });
    await disturbing;
    for (const { error } of invocations) expect(error).toBeUndefined();
    const results = invocations.flatMap(({ result }) => (result as { results: Done[][] }).results);
    await Promise.all(functions.map((each) => each.stop()));
    // Commands that were still on their way to Redis have arrived.
    for (let before = "", now = await writesSeen(); now !== before; now = await writesSeen()) {
      before = now;
      await pause(500);
    }
    return { plans, results, lanes };
  }

  /** Checks the invariants of writes in any mode, and sums up the replies that callers of INCR got. */
  async function check({ plans, results, lanes }: Awaited<ReturnType<typeof soak>>) {
    const counts = new Map(COUNTERS.map((name) => [name, { resolved: 0, unknown: 0 }]));
    const errors = new Map<string, number>();
    let longest = 0;
    for (const [at, lane] of lanes.entries()) {
      // The highest mark that Redis surely had, the highest that it may have had, and the marks with an unknown outcome,
      // which may still be on their way, and arrive after a later one.
      let least = 0;
      let most = 0;
      const late = new Set<number>();
      const expectMark = (read: unknown, highest: number, what: string) => {
        const mark = Number(read ?? 0);
        expect(
          mark <= highest && (mark >= least || late.has(mark)),
          `${what}, of ${least} to ${highest}`,
        ).toBe(true);
      };
      for (const [number, step] of plans[at]!.entries()) {
        const { settlements, ms } = results[at]![number]!;
        longest = Math.max(longest, ms);
        const marks = step.commands.filter(([name]) => name === "SET").map(([, , mark]) => Number(mark));
        for (const [index, [name, key]] of step.commands.entries()) {
          const settlement = settlements[index]!;
          const what = `${name} ${key}, step ${number} of lane ${lane}: ${JSON.stringify(settlement)}`;
          if (settlement.error) {
            expect(["unsent", "unknown"], what).toContain(settlement.outcome);
            const kind = `${settlement.error} ${settlement.outcome}`;
            errors.set(kind, (errors.get(kind) ?? 0) + 1);
          } else if (key === nameOf(lane)) expect(settlement.value, what).toBe(lane);
          else if (key === markOf(lane) && name === "GET") {
            expectMark(settlement.value, Math.max(most, ...marks), what);
          } else if (name === "SET") expect(settlement.value, what).toBe("OK");
          else expect(settlement.value, what).toBeTypeOf("number");
          if (name === "INCR" && !settlement.error) counts.get(key!)!.resolved++;
          if (name === "INCR" && settlement.outcome === "unknown") counts.get(key!)!.unknown++;
          if (name === "SET") {
            const mark = Number(step.commands[index]![2]);
            if (!settlement.error) least = mark;
            else if (settlement.outcome === "unknown") late.add(mark);
            if (settlement.outcome !== "unsent") most = Math.max(most, mark);
          }
        }
      }
      const held = await redis.command("GET", markOf(lane));
      expectMark(held, most, `the mark of lane ${lane}: ${held}`);
    }
    process.stdout.write(
      `Longest call ${Math.round(longest)} ms; ${JSON.stringify(Object.fromEntries(errors))}\n`,
    );
    // The clock of the function has a grain of 100 ms where it was frozen in a call, and the machine may be busy.
    expect(longest).toBeLessThan(TIMEOUT_MS + 500);
    const values = new Map<string, number>();
    for (const name of COUNTERS) values.set(name, Number((await redis.command("GET", name)) ?? 0));
    // No other client incremented anything, and the faults did happen.
    const calls = /^cmdstat_incr:calls=(\d+)/m.exec(String(await redis.command("INFO", "commandstats")))?.[1];
    expect(Number(calls)).toBe([...values.values()].reduce((sum, value) => sum + value, 0));
    expect([...errors.values()].reduce((sum, count) => sum + count, 0)).toBeGreaterThan(COMMANDS / 200);
    return { counts, values };
  }

  test("each counter of at-most-once writes lies between the resolved and the possibly applied ones", async () => {
    const { counts, values } = await check(await soak("at-most-once"));
    for (const [name, { resolved, unknown }] of counts) {
      expect(resolved).toBeGreaterThan(COMMANDS / 40);
      expect(values.get(name), name).toBeGreaterThanOrEqual(resolved);
      expect(values.get(name), name).toBeLessThanOrEqual(resolved + unknown);
    }
  }, 600_000);

  test("each counter of exactly-once writes is the resolved ones plus the unknown ones whose token exists", async () => {
    const { counts, values } = await check(await soak("exactly-once"));
    const keys = (await redis.command("KEYS", "*:wl:*")) as string[];
    for (const [name, { resolved, unknown }] of counts) {
      const tokens = keys.filter((key) => key.startsWith(`${name}:wl:`)).length;
      expect(values.get(name), name).toBe(tokens);
      expect(tokens, name).toBeGreaterThanOrEqual(resolved);
      expect(tokens, name).toBeLessThanOrEqual(resolved + unknown);
    }
  }, 600_000);
});

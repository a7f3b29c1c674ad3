import { fileURLToPath } from "node:url";
import { describe, expect, onTestFinished, test } from "vitest";
import type { WriteMode } from "warmline";
import {
  freePorts,
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
import { forTest } from "../support/lifetime.js";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { breakingMore } from "./breakage.js";

// Functions send random commands through both entries of the client. Meanwhile connections break in many ways, functions
// are frozen, and the gateway and Redis are killed. The reported outcome of each write has to agree with the data in Redis.

const SECONDS = scaled(5);
const LANES = 6;
const TIMEOUT_MS = 1_500;
const TOKEN = "model-token";

/** A write, and its outcome as the client reported it. */
interface Written {
  readonly kind: "count" | "token" | "field" | "score";
  readonly key: string;
  /** The list element, hash field or sorted-set member that it writes. */
  readonly mark?: string;
  /** The result of {@link stateOf} after the write was applied once. */
  readonly full: number;
  readonly settlement: { readonly outcome?: string; readonly error?: string; readonly message?: string };
  readonly group?: string;
  readonly order?: number;
}

interface WorkerReport {
  readonly written: readonly Written[];
  readonly wrong: readonly string[];
  readonly messages: number;
  /** Ids of the stream entries that the worker's follower received. */
  readonly ids: readonly string[];
}

/** Returns what the write left in Redis, as a number that grows by `full` each time the write is applied. */
async function stateOf(redis: RedisServer, { kind, key, mark }: Written, lists: Map<string, string[]>) {
  if (kind === "count") return Number((await redis.command("GET", key)) ?? 0);
  if (kind === "field") return Number((await redis.command("HGET", key, mark!)) ?? 0);
  if (kind === "score") return Number((await redis.command("ZSCORE", key, mark!)) ?? 0);
  return lists.get(key)!.filter((each) => each === mark).length;
}

describe(`random writes under faults, for ${SECONDS} s`, { tags: "redis-server", retry: 0 }, () => {
  async function run(writes: WriteMode): Promise<{ redis: RedisServer; reports: WorkerReport[] }> {
    const next = mulberry32(SEED);
    process.stdout.write(`Model of writes: "${writes}"\n`);
    const redis = forTest(
      await startRedis({ listen: "tcp", flags: ["--appendonly", "yes", "--appendfsync", "always"] }),
    );
    for (let i = 0; i < 50; i++) await redis.command("SET", `name:${i}`, `name:${i}`);
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
    const pathFor = async (surplus: boolean): Promise<NetworkProxy> =>
      forTest(await startNetworkProxy({ to: { port }, script: () => breakingMore(faults, surplus) }));
    const streams = forTest(await startNetworkProxy({ to: { port } }));
    const functions: Instance[] = [];
    for (const entry of ["warmline", "warmline/fetch"]) {
      const path = await pathFor(entry === "warmline");
      functions.push(
        forTest(
          await startInstance({
            handler: fileURLToPath(new URL("./handlers/model.mjs", import.meta.url)),
            timeoutMs: 3_600_000,
            initTimeoutMs: 60_000,
            freezer: "signals",
            env: {
              ENTRY: entry,
              WARMLINE_URL: path.url,
              STREAM_URL: streams.url,
              WARMLINE_TOKEN: TOKEN,
              CLIENT: JSON.stringify({ writes, timeout: TIMEOUT_MS, maxConnections: 8 }),
              ...chosenConnection,
            },
          }),
        ),
      );
    }

    let over = false;
    const until = async (ms: number) => {
      for (let left = ms; left > 0 && !over; left -= 50) await pause(Math.min(50, left));
    };
    const disturbing = [
      // Resets connections, and freezes a function.
      async () => {
        await until(next() * 150);
        if (next() < 0.1) for (const connection of upstream.connections) connection.resetClient();
        if (next() < 0.1) for (const connection of streams.connections) connection.resetClient();
        const victim = functions[Math.floor(next() * functions.length)]!;
        await victim.freeze();
        await pause(next() < 0.8 ? next() * 200 : next() * 1_500);
        await victim.thaw();
      },
      // Stops the gateway, gracefully or with SIGKILL, and starts it again.
      async () => {
        await until(1_000 + next() * 3_000);
        if (over) return;
        if (next() < 0.5) process.kill(gateway.pid, "SIGKILL");
        await gateway.stop();
        gateway = await startGateway();
      },
      // Kills Redis and starts it again. It loses no write that it acknowledged (appendfsync always).
      async () => {
        await until(2_000 + next() * 4_000);
        if (over) return;
        // Not in the middle of a transaction: at the next start Redis cuts an incomplete command off its append-only file,
        // and at the start after that it runs what is left of the transaction as a complete one.
        await redis.command("CLIENT", "PAUSE", "5000", "WRITE");
        await redis.kill();
        await pause(next() * 300);
        await redis.restart();
      },
      // Publishes numbered messages, each with the number of the last one that Redis acknowledged.
      async () => {
        await pause(20);
        try {
          await redis.command("PUBLISH", "news", `${++number} ${acknowledged}`);
          acknowledged = number;
          await redis.command("XADD", "news", "*", "number", String(number));
        } catch {
          // Redis or the connection is down.
        }
      },
    ].map(async (disturb) => {
      while (!over) await disturb();
    });
    let number = 0;
    let acknowledged = 0;
    const invocations = await Promise.all(
      functions.map((each, at) =>
        each.invoke({ seed: SEED + 10 + at * 1_000, seconds: SECONDS, lanes: LANES, name: "nf"[at] }),
      ),
    ).finally(() => {
      over = true;
    });
    await Promise.all(disturbing);
    for (const { error } of invocations) expect(error).toBeUndefined();
    // Wait for delayed bytes to arrive.
    await pause(3_000);
    return { redis, reports: invocations.map(({ result }) => result as WorkerReport) };
  }

  async function check(writes: WriteMode): Promise<void> {
    const { redis, reports } = await run(writes);
    const wrong = reports.flatMap((each) => each.wrong);
    const written = reports.flatMap((each) => each.written);
    const lists = new Map<string, string[]>();
    const settlements = new Map<string, number>();
    for (const { kind, key } of written) {
      if (kind === "token" && !lists.has(key))
        lists.set(key, (await redis.command("LRANGE", key, "0", "-1")) as string[]);
    }
    for (const write of written) {
      const { settlement, full, key, mark } = write;
      const found = await stateOf(redis, write, lists);
      const kind = settlement.error ? `${settlement.error} ${settlement.outcome}` : "resolved";
      settlements.set(kind, (settlements.get(kind) ?? 0) + 1);
      const times = found / full;
      const least = settlement.outcome ? 0 : 1;
      const most = settlement.outcome === "unsent" || settlement.outcome === "answered" ? 0 : 1;
      const tooMany = times > most && !(writes === "at-least-once" && most === 1);
      if (times < least || tooMany || !Number.isInteger(times))
        wrong.push(
          `${key} ${mark ?? ""}: applied ${times} times, and reported as ${JSON.stringify(settlement)}`,
        );
    }
    if (writes !== "at-least-once") wrong.push(...outOfOrder(written, lists));
    const entries = (await redis.command("XRANGE", "news", "-", "+")) as [id: string][];
    for (const { ids } of reports) {
      expect(ids).toEqual(entries.slice(0, ids.length).map(([id]) => id));
      expect(ids.length).toBeGreaterThan(SECONDS);
    }
    process.stdout.write(
      `${written.length} writes, ${reports.map(({ messages }) => messages)} messages: ${JSON.stringify(Object.fromEntries(settlements))}\n`,
    );
    expect(wrong).toEqual([]);
    // Faults made calls fail in several ways, and enough calls succeeded.
    expect(settlements.size).toBeGreaterThan(3);
    expect(settlements.get("resolved")).toBeGreaterThan(written.length / 4);
    expect(reports.reduce((sum, { messages }) => sum + messages, 0)).toBeGreaterThan(SECONDS);
  }

  /** Returns a message for each group of elements that were pushed together, resolved, and are in another order in the list. */
  function outOfOrder(written: readonly Written[], lists: Map<string, string[]>): string[] {
    const groups = new Map<string, Written[]>();
    for (const write of written) {
      if (write.kind !== "token" || write.settlement.outcome || !write.group) continue;
      const id = `${write.group} ${write.key}`;
      groups.set(id, [...(groups.get(id) ?? []), write]);
    }
    return [...groups].flatMap(([id, writes]) => {
      const places = writes
        .sort((a, b) => a.order! - b.order!)
        .map(({ key, mark }) => lists.get(key)!.indexOf(mark!));
      return places.every((place, at) => at === 0 || place > places[at - 1]!)
        ? []
        : [`group ${id} is in the order ${places}`];
    });
  }

  const time = { timeout: (SECONDS * 6 + 120) * 1_000 };
  test("at-most-once writes are applied once or not at all, as reported", time, () => check("at-most-once"));
  test("exactly-once writes that resolved are applied once", time, () => check("exactly-once"));
  test("at-least-once writes are applied if they resolved, and not if they were unsent", time, () =>
    check("at-least-once"),
  );
});

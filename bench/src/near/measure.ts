import { setTimeout as pause } from "node:timers/promises";
import { startInstance } from "warmline-testbed";
import { type BenchClient, built, handlerPath } from "../client/bench-client.js";
import type { Rig } from "../rig/rig.js";
import { bodyOf } from "../rig/run-instance.js";
import type { Context } from "../scenario.js";

export const MAX_STALE = 1_000;
/** The time for which the function is frozen before each invocation, in ms. */
export const FROZEN = 100;
/** The numbers of invocations per overwritten key: often and rarely. */
export const OFTEN = 1;
export const RARELY = 20;
export const KEYS = Array.from({ length: 10 }, (_, at) => `near:${at}`);

/** A function: the cache that it reads through. */
export interface NearCase {
  /** One of the handler's caches. */
  readonly cache: string;
  readonly title: string;
  /** The client of the caches `client` and `client-map`. */
  readonly client?: BenchClient;
  /** Invocations per overwritten key. */
  readonly every: number;
  readonly rig: Rig;
}

/**
 * Measures a function that reads {@link KEYS}, frozen between invocations. One of the keys is overwritten in every so many
 * freezes. Returns its times in ms, its commands and bytes per invocation, the number of stale values, and the time in ms since
 * the oldest of them was overwritten.
 */
export async function measureNear(
  { cache, title, client, every, rig }: NearCase,
  { settings: { invocations }, random, defer }: Context,
) {
  const protocol = cache === "node-redis" ? "tcp" : (client?.protocol ?? "http");
  const counted = async () => ({ commands: await commandsSent(rig, protocol), ...rig.bytes({ protocol }) });
  /** The value of each key, and when values were overwritten, by this process's clock in ms. No two writes have the same value. */
  const current = new Map<string, number>();
  const overwrittenAt = new Map<number, number>();
  let writes = 0;
  /** Writes a key as another client does. */
  const overwrite = async (key: string) => {
    const value = ++writes;
    await rig.redis!.command("SET", key, value);
    // The write was acknowledged.
    const last = current.get(key);
    if (last !== undefined) overwrittenAt.set(last, performance.now());
    current.set(key, value);
  };
  for (const key of KEYS) await overwrite(key);
  const instance = await startInstance({
    handler: handlerPath("near"),
    env: {
      BENCH_CLIENT: client && built(`clients/${client.name}.js`),
      BENCH_CACHE: cache,
      BENCH_ENDPOINT: JSON.stringify(rig.endpoint),
      BENCH_MAX_STALE: String(MAX_STALE),
    },
    timeoutMs: 20_000,
  });
  defer(() => instance.stop());
  const warm: number[] = [];
  const ages: number[] = [];
  await instance.invoke({ keys: KEYS });
  const before = await counted();
  for (let call = 0; call < invocations; call++) {
    await instance.freeze();
    const key = KEYS[Math.floor(random() * KEYS.length)]!;
    if (call % every === 0) await overwrite(key);
    await pause(FROZEN);
    const began = performance.now();
    const invocation = instance.invoke({ keys: KEYS });
    await instance.thaw();
    const ended = await invocation;
    const values = bodyOf(ended, title, instance) as unknown[];
    warm.push(ended.durationMs);
    ages.push(...values.map((value) => began - (overwrittenAt.get(Number(value)) ?? Number.POSITIVE_INFINITY)));
  }
  const after = await counted();
  const stale = ages.filter((age) => age > 0);
  return {
    warm,
    billed: warm.map(Math.ceil),
    commands: (after.commands - before.commands) / invocations,
    sent: (after.fromClients - before.fromClients) / invocations,
    received: (after.fromServer - before.fromServer) / invocations,
    stale: stale.length,
    oldest: Math.max(0, ...stale),
  };
}

/** Returns the number of reads and PINGs that clients have sent: by HTTP to the gateway, or by TCP to Redis. */
async function commandsSent({ direct, redis }: Rig, protocol: "http" | "tcp"): Promise<number> {
  if (protocol === "tcp") {
    const stats = String(await redis!.command("INFO", "commandstats"));
    return Number(/^cmdstat_get:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  }
  const headers = { Authorization: `Bearer ${direct.token}`, Connection: "close" };
  const text = await (await fetch(`${direct.url}/metrics`, { headers })).text();
  const lines = text.matchAll(/^warmline_gateway_commands_total\{command="(?:get|pttl|ping)"\} (\d+)$/gim);
  return Array.from(lines, ([, calls]) => Number(calls)).reduce((sum, calls) => sum + calls, 0);
}

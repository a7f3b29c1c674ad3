import { setTimeout as pause } from "node:timers/promises";
import { startInstance } from "warmline-testbed";
import { type BenchClient, built, handlerPath } from "../client/bench-client.js";
import type { Rig } from "../rig/rig.js";
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
  { settings: { invocations }, random }: Context,
) {
  const protocol = cache === "node-redis" ? "tcp" : (client?.protocol ?? "http");
  const counted = async () => ({ commands: await commandsSent(rig, protocol), ...rig.bytes({ protocol }) });
  const writer = new Writer(rig);
  for (const key of KEYS) await writer.overwrite(key);
  const instance = await startInstance({
    handler: handlerPath("near"),
    env: {
      ...(client && { BENCH_CLIENT: built(`clients/${client.name}.js`) }),
      BENCH_CACHE: cache,
      BENCH_ENDPOINT: JSON.stringify(rig.endpoint),
      BENCH_MAX_STALE: String(MAX_STALE),
    },
    timeoutMs: 20_000,
  });
  const warm: number[] = [];
  const ages: number[] = [];
  try {
    await instance.invoke({ keys: KEYS });
    const before = await counted();
    for (let call = 0; call < invocations; call++) {
      await instance.freeze();
      const key = KEYS[Math.floor(random() * KEYS.length)]!;
      if (call % every === 0) await writer.overwrite(key);
      await pause(FROZEN);
      const began = performance.now();
      const invocation = instance.invoke({ keys: KEYS });
      await instance.thaw();
      const { result, error, durationMs } = await invocation;
      if (error) throw new Error(`${title}: ${error.errorMessage}\n${instance.output}`);
      warm.push(durationMs);
      const { body } = result as { body: unknown[] };
      ages.push(...body.map((value, at) => began - writer.overwrittenAt(KEYS[at]!, Number(value))));
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
  } finally {
    await instance.stop();
  }
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

/** Writes keys as another client does, and records when each value was overwritten. */
class Writer {
  readonly #values = new Map(KEYS.map((key) => [key, [] as { value: number; until: number }[]]));
  #version = 0;

  constructor(private readonly rig: Rig) {}

  async overwrite(key: string): Promise<void> {
    const values = this.#values.get(key)!;
    const value = ++this.#version;
    await this.rig.redis!.command("SET", key, value);
    const last = values.at(-1);
    // When the write was acknowledged, by this process's clock.
    if (last) last.until = performance.now();
    values.push({ value, until: Infinity });
  }

  /** Returns when the value of a key was overwritten, by this process's clock in ms; Infinity if it is the current one. */
  overwrittenAt(key: string, value: number): number {
    return this.#values.get(key)!.find((each) => each.value === value)!.until;
  }
}

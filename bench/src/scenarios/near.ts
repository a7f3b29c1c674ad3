import { setTimeout as pause } from "node:timers/promises";
import { type RedisServer, redisAvailable, startInstance } from "warmline-testbed";
import { handlerPath } from "../bench-client.js";
import { exactly } from "../checks.js";
import { count, ms } from "../format.js";
import { barChart, tableOf } from "../present.js";
import { costOfMillion, PRICES } from "../prices.js";
import type { Rig } from "../rig.js";
import { defineScenario } from "../scenario.js";
import { combine, mean, p50, percentile } from "../series.js";

const MEMORY_MB = 512;
const MAX_STALE = 1_000;
/** The time for which the function is frozen before each invocation, in ms. */
const FROZEN = 100;
const KEYS = Array.from({ length: 10 }, (_, at) => `near:${at}`);

const CACHES = [
  { cache: "none", title: "warmline, no cache", bound: 0 },
  { cache: "near", title: `warmline/near, maxStale ${MAX_STALE} ms`, bound: MAX_STALE },
  { cache: "verify", title: "warmline/near, verify", bound: 0 },
  { cache: "upstash", title: "@upstash/redis, no cache", bound: 0 },
  { cache: "map", title: `@upstash/redis, Map for ${MAX_STALE} ms`, bound: MAX_STALE },
  { cache: "node-redis", title: "node-redis, client-side cache (TCP)", bound: null },
] as const;

const dollars = (value: number) => `$${value.toFixed(2)}`;

/** Returns the reads and PINGs that clients have sent: those of HTTP to the gateway, those of TCP to Redis. */
async function commandsSent({ direct, redis }: Rig, overTcp: boolean): Promise<number> {
  if (overTcp) {
    const stats = String(await redis!.command("INFO", "commandstats"));
    return Number(/^cmdstat_get:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  }
  const headers = { Authorization: `Bearer ${direct.token}`, Connection: "close" };
  const text = await (await fetch(`${direct.url}/metrics`, { headers })).text();
  const lines = text.matchAll(/^warmline_gateway_commands_total\{command="(?:get|pttl|ping)"\} (\d+)$/gim);
  return Array.from(lines, ([, calls]) => Number(calls)).reduce((sum, calls) => sum + calls, 0);
}

/** Writes a key as another client does. Returns when the write was acknowledged, by this process's clock in ms. */
async function overwrite(redis: RedisServer, key: string, value: number): Promise<number> {
  await redis.command("SET", key, value);
  return performance.now();
}

/** Measures a function that reads ten keys, frozen between invocations while one of the keys is overwritten. */
export default defineScenario({
  name: "near",
  title: "Ten reads per invocation, from memory",
  question: "What do ten reads per invocation cost with a near cache, and how stale are they after a freeze?",
  clients: [],
  order: 14,
  defaults: { rounds: [5, 1], invocations: [100, 10] },
  missing: () => (redisAvailable() ? undefined : "needs redis-server on PATH"),
  cases: async ({ rig, record }) => {
    const own = await rig({ redis: true, gatewayArgs: ["--near-prefix", "near:"] });
    record({ memoryMb: MEMORY_MB, maxStale: MAX_STALE, frozenMs: FROZEN, prices: PRICES });
    return CACHES.map((each) => ({ ...each, rig: own }));
  },
  label: ({ title }) => title,
  run: async ({ cache, title, rig }, { settings, random }) => {
    const redis = rig.redis!;
    const protocol = cache === "node-redis" ? "tcp" : "http";
    /** The values of each key, and when each was overwritten. */
    const written = new Map(KEYS.map((key) => [key, [] as { value: number; until: number }[]]));
    let version = 0;
    const write = async (key: string) => {
      const values = written.get(key)!;
      const now = await overwrite(redis, key, ++version);
      if (values.length > 0) values.at(-1)!.until = now;
      values.push({ value: version, until: Infinity });
    };
    for (const key of KEYS) await write(key);
    const instance = await startInstance({
      handler: handlerPath("near"),
      env: {
        BENCH_CACHE: cache,
        BENCH_ENDPOINT: JSON.stringify(rig.endpoint),
        BENCH_MAX_STALE: String(MAX_STALE),
      },
      timeoutMs: 20_000,
    });
    const warm: number[] = [];
    let stale = 0;
    let oldest = 0;
    const { invocations } = settings;
    try {
      await instance.invoke({ keys: KEYS });
      const before = { commands: await commandsSent(rig, protocol === "tcp"), ...rig.bytes({ protocol }) };
      for (let call = 0; call < invocations; call++) {
        await instance.freeze();
        await write(KEYS[Math.floor(random() * KEYS.length)]!);
        await pause(FROZEN);
        const began = performance.now();
        const invocation = instance.invoke({ keys: KEYS });
        await instance.thaw();
        const { result, error, durationMs } = await invocation;
        if (error) throw new Error(`${title}: ${error.errorMessage}\n${instance.output}`);
        warm.push(durationMs);
        (result as { body: unknown[] }).body.forEach((value, at) => {
          const { until } = written.get(KEYS[at]!)!.find((each) => each.value === Number(value))!;
          if (until >= began) return;
          stale++;
          oldest = Math.max(oldest, began - until);
        });
      }
      const after = { commands: await commandsSent(rig, protocol === "tcp"), ...rig.bytes({ protocol }) };
      return {
        warm,
        billed: warm.map(Math.ceil),
        commands: (after.commands - before.commands) / invocations,
        sent: (after.fromClients - before.fromClients) / invocations,
        received: (after.fromServer - before.fromServer) / invocations,
        stale,
        oldest,
      };
    } finally {
      await instance.stop();
    }
  },
  report: (rows, { settings }) => {
    const priced = rows.map((row) => {
      const costBy = (part: "lambda" | "redis") =>
        combine(
          [row.billed, row.commands, row.received],
          (billed, commands, bytes) =>
            costOfMillion({ ms: billed, memoryMb: MEMORY_MB, commands, bytes })[part],
          mean,
        );
      return {
        ...row,
        lambda: costBy("lambda"),
        redis: costBy("redis"),
        staleValues: row.stale.total,
        oldestValue: row.oldest.max,
      };
    });
    const of = (name: (typeof CACHES)[number]["cache"]) => priced.find(({ cache }) => cache === name)!;
    const values = settings.rounds * settings.invocations * KEYS.length;
    return {
      headlines: [
        {
          value: `${of("near").commands.estimate(mean).value.toFixed(1)} of ${KEYS.length}`,
          label: "commands per invocation of ten reads, warmline/near",
        },
        {
          value: `${count(of("node-redis").staleValues)} of ${count(values)}`,
          label: "stale values after a freeze, node-redis' client-side cache",
        },
      ],
      checks: [
        exactly(
          "warmline/near with verify returns no stale value",
          of("verify").staleValues === 0,
          `${of("verify").staleValues} of ${values}`,
        ),
        exactly(
          `warmline/near returns no value overwritten more than ${MAX_STALE} ms before`,
          of("near").oldestValue <= MAX_STALE,
          `the oldest by ${ms(of("near").oldestValue)}`,
        ),
      ],
      table: tableOf(priced, () => "", [
        ["reads", ({ title }) => title],
        ["commands", ({ commands }) => commands.estimate(mean), 1],
        ["bytes sent", ({ sent }) => sent.estimate(mean), 0],
        ["bytes received", ({ received }) => received.estimate(mean), 0],
        ["p50 ms", ({ warm }) => warm.estimate(p50)],
        ["p99 ms", ({ warm }) => warm.estimate(percentile(99))],
        ["stale values", ({ staleValues }) => staleValues],
        ["stale by ms, at most", ({ oldestValue }) => Math.round(oldestValue)],
        ["Lambda $", ({ lambda }) => lambda],
        ["Upstash $", ({ redis }) => redis],
      ]),
      charts: [
        barChart("Median time of ten reads", "ms", priced, {
          group: () => "ten reads per invocation",
          style: ({ title }) => ({ label: title, hue: CACHES.findIndex((each) => each.title === title) }),
          value: ({ warm }) => warm.estimate(),
        }),
      ],
      notes: [
        `A function of ${MEMORY_MB} MB reads ten keys with Promise.all in each of ${settings.invocations} invocations, in ${settings.rounds} instances. Before each it is frozen for ${FROZEN} ms, while another client overwrites one of the keys.`,
        "A value is stale if its successor had been acknowledged before the invocation was sent.",
        `Prices: AWS Lambda (x86, us-east-1, ${PRICES.lambda.readIn}), ${dollars(PRICES.lambda.perMillionRequests)} per million requests and $${PRICES.lambda.perGbSecond} per GB-second; Upstash (${PRICES.upstash.readIn}), $${PRICES.upstash.per100kCommands} per 100,000 commands and $${PRICES.upstash.perGb} per GB. They are per million invocations. A near cache at Upstash is one by time alone: its commands are then those of the Map.`,
      ],
    };
  },
});

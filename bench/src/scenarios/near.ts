import { setTimeout as pause } from "node:timers/promises";
import { startInstance } from "warmline-testbed";
import { type BenchClient, clientFunction, KEPT } from "../client/bench-client.js";
import { exactly } from "../results/checks.js";
import { meanColumns, medianColumns, ms, supportedDigits, tabulate } from "../results/present.js";
import { costsOf, PRICES } from "../results/prices.js";
import { type Rig, readMetrics, started } from "../rig/rig.js";
import { bodyOf, invokeFrozen } from "../rig/run-instance.js";
import { type Context, defineScenario, redisMissing } from "../scenario.js";
import { percentile } from "../statistics/series.js";

const MEMORY_MB = 512;
const MAX_STALE = 1_000;
/** The time for which the function is frozen before each invocation, in ms. */
const FROZEN = 100;
/** The numbers of invocations per overwritten key: often and rarely. */
const OFTEN = 1;
const RARELY = 20;
const KEYS = Array.from({ length: 10 }, (_, at) => `near:${at}`);

const CACHES = [
  { cache: "none", title: "warmline, no cache" },
  { cache: "near", title: `warmline/near, maxStale ${MAX_STALE} ms` },
  { cache: "verify", title: "warmline/near, verify" },
  { cache: "node-redis", title: "node-redis, client-side cache (TCP)" },
] as const;

/** A cache, with the client of the caches `client` and `client-map`, and the invocations per overwritten key. */
type NearCase = Readonly<{ cache: string; title: string; client?: BenchClient; every: number; rig: Rig }>;

/**
 * Measures a function that reads {@link KEYS}, frozen between invocations, with a key overwritten in one of `every` freezes.
 * @returns its times in ms, its commands and bytes per invocation, the number of stale values, and the time in ms since the oldest
 * of them was overwritten
 */
async function measureNear({ cache, title, client, every, rig }: NearCase, context: Context) {
  const { random, defer } = context;
  const { invocations } = context.settings;
  const protocol = cache === "node-redis" ? "tcp" : (client?.protocol ?? "http");
  const proxy = rig.proxyOf({ protocol });
  const counted = async () => ({ commands: await commandsSent(rig, protocol), ...proxy.bytes });
  /** The value of each key, and when values were overwritten, by this process's clock in ms. No two writes have the same value. */
  const current = new Map<string, number>();
  const overwrittenAt = new Map<number, number>();
  let writes = 0;
  const overwrite = async (key: string) => {
    const value = ++writes;
    await rig.redis!.command("SET", key, value);
    // Only from the acknowledgement on is the old value stale.
    const last = current.get(key);
    if (last !== undefined) overwrittenAt.set(last, performance.now());
    current.set(key, value);
  };
  for (const key of KEYS) await overwrite(key);
  const { handler, env } = clientFunction("near", client, KEPT, rig);
  const caching = { BENCH_CACHE: cache, BENCH_MAX_STALE: String(MAX_STALE) };
  const options = { handler, env: { ...env, ...caching }, timeoutMs: 20_000 };
  const instance = await started(startInstance(options), defer);
  const warm: number[] = [];
  const ages: number[] = [];
  await instance.invoke({ keys: KEYS });
  const before = await counted();
  for (let call = 0; call < invocations; call++) {
    await instance.freeze();
    if (call % every === 0) await overwrite(KEYS[Math.floor(random() * KEYS.length)]!);
    await pause(FROZEN);
    const began = performance.now();
    const ended = await invokeFrozen(instance, { keys: KEYS });
    const values = bodyOf(ended, title, instance) as unknown[];
    warm.push(ended.durationMs);
    ages.push(...values.map((value) => began - (overwrittenAt.get(Number(value)) ?? Infinity)));
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

/** Returns the number of commands so far: GET, PTTL and PING over HTTP, at the gateway; GET over TCP, at Redis. */
async function commandsSent({ direct, redis }: Rig, protocol: "http" | "tcp"): Promise<number> {
  if (protocol === "tcp") {
    const stats = String(await redis!.command("INFO", "commandstats"));
    return Number(/^cmdstat_get:calls=(\d+)/m.exec(stats)?.[1] ?? 0);
  }
  return (await readMetrics(direct))('commands_total\\{command="(?:GET|PTTL|PING)"\\}');
}

const overwritten = ({ every }: Pick<NearCase, "every">) =>
  every === OFTEN ? "a key overwritten per invocation" : `a key overwritten in ${every} invocations`;

export default defineScenario({
  name: "near",
  title: "Ten reads per invocation, from memory",
  question: "What do ten reads per invocation cost with a near cache, and how stale are they after a freeze?",
  // Caches are compared, not clients. So only @upstash/redis is measured, the client of the service that is priced.
  clients: "upstash",
  fixed: ["tls"],
  defaults: { rounds: [1, 1], invocations: [15, 10] },
  missing: redisMissing,
  cases: async ({ rig, clients, record }) => {
    const own = await rig({ tls: false, redis: true, gatewayArgs: ["--near-prefix", "near:"] });
    record({ memoryMb: MEMORY_MB, maxStale: MAX_STALE, frozenMs: FROZEN, prices: PRICES });
    const ofClients = clients.flatMap((client) => [
      { cache: "client", title: `${client.label}, no cache`, client },
      { cache: "client-map", title: `${client.label}, Map for ${MAX_STALE} ms`, client },
    ]);
    return [OFTEN, RARELY].flatMap((every) =>
      [...CACHES, ...ofClients].map((each): NearCase => ({ ...each, every, rig: own })),
    );
  },
  label: ({ title, every }) => `${title}, ${overwritten({ every })}`,
  group: overwritten,
  run: measureNear,
  report: (rows, { settings }) => {
    const priced = rows.map((row) => {
      const costs = costsOf([row.billed, row.commands, row.received], (ms, commands, bytes) => {
        return { ms, memoryMb: MEMORY_MB, commands, bytes };
      });
      return { ...row, ...costs, staleValues: row.stale.total, oldestValue: row.oldest.max };
    });
    const values = settings.rounds * settings.invocations * KEYS.length;
    return {
      checks: priced.flatMap((row) => {
        const { cache, staleValues, oldestValue } = row;
        if (cache === "verify") {
          const expectation = `warmline/near with verify returns no stale value, ${overwritten(row)}`;
          return [exactly(expectation, staleValues === 0, `${staleValues} of ${values}`)];
        }
        if (cache !== "near") return [];
        const expectation = `warmline/near returns no value overwritten more than ${MAX_STALE} ms before, ${overwritten(row)}`;
        return [exactly(expectation, oldestValue <= MAX_STALE, `the oldest: ${ms(oldestValue)} before`)];
      }),
      ...tabulate(priced, { group: overwritten, charts: ["p50 ms"] }, [
        ["writes", overwritten],
        ["reads", ({ title }) => title],
        ...meanColumns({ commands: "commands" }, 1),
        ...meanColumns({ sent: "bytes sent", received: "bytes received" }),
        ...medianColumns({ warm: "p50 ms" }),
        ["slowest ms", ({ warm }) => warm.estimate(percentile(100))],
        ["stale values", ({ staleValues }) => staleValues],
        ["stale by ms, at most", ({ oldestValue }) => Math.round(oldestValue)],
        ["Lambda $", ({ lambda }) => lambda, supportedDigits],
        ["Upstash $", ({ redis }) => redis, supportedDigits],
      ]),
      notes: [
        `A function of ${MEMORY_MB} MB reads ten keys with Promise.all in each of ${settings.invocations} invocations, in ${settings.rounds} instances. Before each it is frozen for ${FROZEN} ms. In every freeze, or in one of ${RARELY}, another client overwrites one of the keys.`,
        "A value is stale if its successor had been acknowledged before the invocation was sent.",
        `Prices: AWS Lambda (x86, us-east-1, ${PRICES.lambda.readIn}), $${PRICES.lambda.perMillionRequests} per million requests and $${PRICES.lambda.perGbSecond} per GB-second; Upstash (${PRICES.upstash.readIn}), $${PRICES.upstash.per100kCommands} per 100,000 commands and $${PRICES.upstash.perGb} per GB. The $ columns are per million invocations. With Upstash, a near cache can expire values by time only, so it sends the same commands as the Map.`,
      ],
    };
  },
});

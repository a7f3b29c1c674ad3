import { FROZEN, KEYS, MAX_STALE, measureNear, type NearCase, OFTEN, RARELY } from "../near/measure.js";
import { exactly } from "../results/checks.js";
import { chartsOf, dollars, meanColumns, medianColumns, ms, tableOf } from "../results/present.js";
import { costOfMillion, PRICES } from "../results/prices.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { combine, mean, percentile } from "../statistics/series.js";

const MEMORY_MB = 512;

const CACHES = [
  { cache: "none", title: "warmline, no cache" },
  { cache: "near", title: `warmline/near, maxStale ${MAX_STALE} ms` },
  { cache: "verify", title: "warmline/near, verify" },
  { cache: "node-redis", title: "node-redis, client-side cache (TCP)" },
] as const;

/** Returns how often a key is overwritten, in words. */
const overwritten = ({ every }: Pick<NearCase, "every">) =>
  every === OFTEN ? "a key overwritten per invocation" : `a key overwritten in ${every} invocations`;

/** Measures a function that reads ten keys, frozen between invocations while one of the keys may be overwritten. */
export default defineScenario({
  name: "near",
  title: "Ten reads per invocation, from memory",
  question: "What do ten reads per invocation cost with a near cache, and how stale are they after a freeze?",
  // A client adds two minutes, and caches are compared; @upstash/redis is the one of the priced service.
  clients: "upstash",
  fixed: ["tls"],
  plannedS: 33,
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
      const costBy = (part: "lambda" | "redis") =>
        combine(
          [row.billed, row.commands, row.received],
          (billed, commands, bytes) =>
            costOfMillion({ ms: billed, memoryMb: MEMORY_MB, commands, bytes })[part],
          mean,
        );
      const [staleValues, oldestValue] = [row.stale.total, row.oldest.max];
      return { ...row, lambda: costBy("lambda"), redis: costBy("redis"), staleValues, oldestValue };
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
        return [exactly(expectation, oldestValue <= MAX_STALE, `the oldest by ${ms(oldestValue)}`)];
      }),
      table: tableOf(priced, overwritten, [
        ["writes", overwritten],
        ["reads", ({ title }) => title],
        ...meanColumns({ commands: "commands" }, 1),
        ...meanColumns({ sent: "bytes sent", received: "bytes received" }),
        ...medianColumns({ warm: "p50 ms" }),
        ["p99 ms", ({ warm }) => warm.estimate(percentile(99))],
        ["stale values", ({ staleValues }) => staleValues],
        ["stale by ms, at most", ({ oldestValue }) => Math.round(oldestValue)],
        ["Lambda $", ({ lambda }) => lambda],
        ["Upstash $", ({ redis }) => redis],
      ]),
      charts: chartsOf(priced, {
        group: overwritten,
        // The charts have ten hues.
        style: ({ title }) => ({
          label: title,
          hue: priced.findIndex((each) => each.title === title) % 10,
        }),
        bars: [["Median time of ten reads", "ms", ({ warm }) => warm.estimate()]],
      }),
      notes: [
        `A function of ${MEMORY_MB} MB reads ten keys with Promise.all in each of ${settings.invocations} invocations, in ${settings.rounds} instances. Before each it is frozen for ${FROZEN} ms. In every freeze, or in one of ${RARELY}, another client overwrites one of the keys.`,
        "A value is stale if its successor had been acknowledged before the invocation was sent.",
        `Prices: AWS Lambda (x86, us-east-1, ${PRICES.lambda.readIn}), ${dollars(PRICES.lambda.perMillionRequests)} per million requests and $${PRICES.lambda.perGbSecond} per GB-second; Upstash (${PRICES.upstash.readIn}), $${PRICES.upstash.per100kCommands} per 100,000 commands and $${PRICES.upstash.perGb} per GB. They are per million invocations. A near cache at Upstash is one by time alone: its commands are then those of the Map.`,
      ],
    };
  },
});

import { setTimeout as pause } from "node:timers/promises";
import { findFunction, type Invocation } from "../aws/lambda.js";
import { atLeast } from "../results/checks.js";
import { grouped, latencyColumns, medianColumns, ms, supportedDigits, tabulate } from "../results/present.js";
import { costsOf, PRICES } from "../results/prices.js";
import { defineScenario } from "../scenario.js";
import { mean, ratio } from "../statistics/series.js";

const STACK = "WARMLINE_AWS_STACK";
/** Invocations back to back for each one after a pause. */
const PER_PAUSED = 10;
/** The writes after a pause. The function is frozen by then. */
const SET = { command: "set", keys: ["greeting"] };
const INCR = { command: "incr", keys: ["counter"] };

const sizeOf = ({ memoryMb }: { readonly memoryMb: number }) => `${memoryMb} MB`;
const nameOf = (each: { readonly keepAlive: boolean; readonly memoryMb: number }) =>
  `${sizeOf(each)}, keep-alive ${each.keepAlive ? "on" : "off"}`;

export default defineScenario({
  name: "lambda",
  title: "Keep-alive on AWS Lambda",
  question: "On AWS Lambda, how fast is a command on a kept connection and after a freeze, at what cost?",
  clients: "candidates",
  protocol: "http",
  sizes: true,
  fixed: ["rtt", "tls"],
  defaults: { rounds: [7, 1], invocations: [50, 5], seconds: [2, 1] },
  missing: () =>
    process.env[STACK] ? undefined : `needs a stack on AWS: bench/aws/deploy.sh, then ${STACK}=NAME`,
  cases: async ({ clients, settings, record }) => {
    const lambda = await findFunction(process.env[STACK]!);
    const { runtime, region } = lambda;
    const sizes = settings.sizes ?? lambda.sizes;
    await lambda.invoke(SET);
    record({ memoryMb: sizes, runtime, region, engine: "the endpoint of the stack", prices: PRICES });
    return sizes.flatMap((memoryMb) =>
      clients.flatMap((client) =>
        [true, false].map((keepAlive) => ({ client, memoryMb, keepAlive, lambda })),
      ),
    );
  },
  label: ({ client, ...variant }) => `${client.label}, ${nameOf(variant)}`,
  run: async ({ client, memoryMb, keepAlive, lambda }, { settings }) => {
    await lambda.startAnew(memoryMb, {
      BENCH_CLIENT: `/var/task/clients/${client.name}.js`,
      BENCH_KEEPALIVE: keepAlive ? "1" : "0",
      BENCH_LIFETIME: "reused",
    });
    const { invocations, seconds } = settings;
    const first = await lambda.invoke({});
    const warm: Invocation[] = [];
    for (let n = 1; n < invocations; n++) warm.push(await lambda.invoke({}));
    const afterPause = async (event: object) => {
      const durations: number[] = [];
      for (let n = 0; n < invocations; n += PER_PAUSED) {
        await pause(seconds * 1_000);
        durations.push((await lambda.invoke(event)).durationMs);
      }
      return durations;
    };
    return {
      init: first.initMs ?? Number.NaN,
      first: first.durationMs,
      warm: warm.map(({ durationMs }) => durationMs),
      billed: warm.map(({ billedMs }) => billedMs),
      set: await afterPause(SET),
      incr: await afterPause(INCR),
    };
  },
  report: (rows, { settings }) => {
    const both = grouped(rows, (row) => `${row.client.label}, ${sizeOf(row)}`);
    const kept = both.map(([label, [on, off]]) => ({ ...on!, label, gain: ratio(off!.warm, on!.warm) }));
    const costOf = ({ billed, memoryMb }: (typeof rows)[number]) =>
      costsOf([billed], (ms) => ({ ms, memoryMb, commands: 1, bytes: 0 })).lambda;
    return {
      checks: kept.map(({ label, warm, gain }) =>
        atLeast(`${label} on AWS Lambda: a kept connection is faster than a new one`, gain, 1, {
          detail: ms(warm.estimate().value),
        }),
      ),
      ...tabulate(
        rows,
        { group: ({ client }) => client.name, charts: ["first ms", "p50 ms", "INCR after a freeze, ms"] },
        [
          ["client", ({ client }) => client.label],
          ["variant", nameOf],
          ...medianColumns({ init: "init ms", first: "first ms" }, 1),
          ...latencyColumns("warm"),
          ...medianColumns({ set: "SET after a freeze, ms", incr: "INCR after a freeze, ms" }),
          ["billed ms", ({ billed }) => billed.estimate(mean), 1],
          ["$ per million", costOf, supportedDigits],
        ],
      ),
      notes: [
        `Each client runs ${settings.invocations} invocations of one GET per variant in each of ${settings.rounds} instances. Durations are those of Lambda's REPORT lines. Lambda freezes the instance between two invocations, which the AWS CLI sends about a second apart.`,
        `SET and INCR run after a further pause of ${settings.seconds} s, one of each for ${PER_PAUSED} GETs.`,
      ],
    };
  },
});

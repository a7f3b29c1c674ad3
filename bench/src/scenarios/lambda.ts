import { LambdaFunction } from "../aws/lambda.js";
import { atLeast } from "../checks.js";
import { clientStyle } from "../client-style.js";
import { factor, ms, withInterval } from "../format.js";
import { barChart, byClient, curveChart, initAndFirst, latencyColumns, tableOf } from "../present.js";
import { costOfMillion, PRICES } from "../prices.js";
import { defineScenario } from "../scenario.js";
import { combine, mean, ratio } from "../series.js";

const STACK = "WARMLINE_AWS_STACK";
const nameOf = ({ keepAlive }: { readonly keepAlive: boolean }) => `keep-alive ${keepAlive ? "on" : "off"}`;

/** Repeats the scenario keepalive on AWS Lambda, in the function of `bench/aws`. */
export default defineScenario({
  name: "lambda",
  title: "Keep-alive on AWS Lambda",
  question: "How much faster is a command on a kept connection on AWS Lambda, and what does it cost?",
  clients: "candidates",
  protocol: "http",
  order: 14,
  defaults: { rounds: [7, 1], invocations: [50, 5] },
  missing: () =>
    process.env[STACK] ? undefined : `needs a stack on AWS: bench/aws/deploy.sh, then ${STACK}=NAME`,
  cases: async ({ clients, record }) => {
    const lambda = await LambdaFunction.ofStack(process.env[STACK]!);
    const { memoryMb, runtime, region } = lambda;
    await lambda.invoke({ command: "set", keys: ["greeting"] });
    record({ memoryMb, runtime, region, engine: "the endpoint of the stack", prices: PRICES });
    return clients.flatMap((client) => [true, false].map((keepAlive) => ({ client, keepAlive, lambda })));
  },
  label: ({ client, ...variant }) => `${client.label}, ${nameOf(variant)}`,
  run: async ({ client, keepAlive, lambda }, { settings }) => {
    await lambda.startAnew({
      BENCH_CLIENT: `/var/task/clients/${client.name}.js`,
      BENCH_KEEPALIVE: keepAlive ? "1" : "0",
      BENCH_LIFETIME: "reused",
    });
    const first = await lambda.invoke({});
    const warm = [];
    for (let n = 1; n < settings.invocations; n++) warm.push(await lambda.invoke({}));
    return {
      init: first.initMs ?? Number.NaN,
      first: first.durationMs,
      warm: warm.map(({ durationMs }) => durationMs),
      billed: warm.map(({ billedMs }) => billedMs),
    };
  },
  report: (rows, { settings }) => {
    const clients = byClient(rows).map(({ label, rows: own }) => {
      const [on, off] = [own[0]!, own[1]!];
      return { client: on.client, label, on, gain: ratio(off.warm, on.warm) };
    });
    const costOf = (row: (typeof rows)[number]) =>
      combine(
        [row.billed],
        (billed) =>
          costOfMillion({ ms: billed, memoryMb: row.lambda.memoryMb, commands: 1, bytes: 0 }).lambda,
        mean,
      );
    return {
      headlines: clients.map(({ label, gain }) => ({
        value: withInterval(gain, factor),
        label: `faster with keep-alive, warm p50, ${label}`,
      })),
      checks: clients.map(({ label, on, gain }) =>
        atLeast(`${label} on AWS Lambda: a kept connection is faster than a new one`, gain, 1, {
          detail: ms(on.warm.estimate().value),
        }),
      ),
      table: tableOf(rows, ({ client }) => client.name, [
        ["client", ({ client }) => client.label],
        ["variant", nameOf],
        ["init ms", ({ init }) => init.estimate(), 1],
        ["first ms", ({ first }) => first.estimate(), 1],
        ...latencyColumns("warm"),
        ["billed ms", ({ billed }) => billed.estimate(mean), 1],
        ["$ per million", costOf],
      ]),
      charts: [
        curveChart("Warm invocations: latency by percentile", rows, {
          group: nameOf,
          style: clientStyle,
          series: ({ warm }) => warm,
        }),
        initAndFirst(
          "Init phase and first invocation",
          "As Lambda reports them.",
          rows.filter(({ keepAlive }) => keepAlive),
          ({ client }) => client.label,
        ),
        barChart("Keep-alive: times faster, p50", "x", clients, {
          style: clientStyle,
          value: ({ gain }) => gain,
        }),
      ],
      notes: [
        `Each client runs ${settings.invocations} invocations of one GET per variant in each of ${settings.rounds} instances. Durations are those of Lambda's REPORT lines. Lambda freezes the instance between two invocations, which the AWS CLI sends about a second apart.`,
      ],
    };
  },
});

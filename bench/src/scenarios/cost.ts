import { commandsFunction, KEPT } from "../client/bench-client.js";
import { meanColumns, supportedDigits, tabulate } from "../results/present.js";
import { COLD_SHARE, costsOf, PRICES } from "../results/prices.js";
import { GREETING, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { mean } from "../statistics/series.js";

const MEMORY_MB = 512;
const WAYS = [
  { way: "one GET", commands: 1, how: "sequential" },
  { way: "ten GETs in sequence", commands: 10, how: "sequential" },
  { way: "ten GETs as a pipeline", commands: 10, how: "pipeline" },
] as const;

export default defineScenario({
  name: "cost",
  title: "Cost of a million invocations",
  question: "What do a million invocations cost, and how many bytes go over the network?",
  clients: "candidates",
  fixed: ["tls"],
  defaults: { rounds: [1, 1], invocations: [60, 10] },
  cases: async ({ rig, clients, record }) => {
    const own = await rig({ tls: true, greeting: true });
    record({ memoryMb: MEMORY_MB, coldShare: COLD_SHARE, prices: PRICES });
    return WAYS.flatMap((way) => clients.map((client) => ({ client, ...way, rig: own })));
  },
  label: ({ client, way }) => `${client.label}, ${way}`,
  group: ({ way }) => way,
  run: async ({ client, rig, commands, how }, { settings }) => {
    const spec = commandsFunction(client, KEPT, rig);
    const event = { keys: Array.from({ length: commands }, () => "greeting"), how };
    const { invocations } = settings;
    const before = rig.proxyOf(client).bytes;
    const options = { invocations, events: [event], expected: GREETING };
    const { init, first, warm } = await runInstance(client.label, spec, options);
    const { fromClients, fromServer } = rig.proxyOf(client).bytes;
    return {
      start: init + first,
      warm,
      billed: warm.map(Math.ceil),
      sent: (fromClients - before.fromClients) / invocations,
      received: (fromServer - before.fromServer) / invocations,
    };
  },
  report: (rows, { settings }) => {
    const priced = rows.map((row) => {
      const { start, billed, received, sent, commands } = row;
      const costs = costsOf([start, billed, received, sent], (start, billed, bytes, sent) => {
        const ms = COLD_SHARE * Math.ceil(start) + (1 - COLD_SHARE) * billed;
        return { ms, memoryMb: MEMORY_MB, commands, bytes, sent };
      });
      return { ...row, ...costs };
    });
    return {
      checks: [],
      ...tabulate(priced, { group: ({ way }) => way, charts: ["Lambda $", "bytes received"] }, [
        ["invocation", ({ way }) => way],
        ["client", ({ client }) => client.label],
        ["init and first ms", ({ start }) => start.estimate(mean), 1],
        ["warm mean ms", ({ warm }) => warm.estimate(mean)],
        ...meanColumns({ sent: "bytes sent", received: "bytes received" }),
        ["Lambda $", ({ lambda }) => lambda, supportedDigits],
        ["Upstash $", ({ redis }) => redis, supportedDigits],
        ["egress $", ({ egress }) => egress, supportedDigits],
      ]),
      notes: [
        `A function of ${MEMORY_MB} MB, ${settings.invocations} invocations in each of ${settings.rounds} instances, over TLS. Durations are billed in whole ms. One in ${1 / COLD_SHARE} invocations pays the init phase.`,
        `AWS Lambda (x86, us-east-1, ${PRICES.lambda.readIn}): $${PRICES.lambda.perGbSecond} per GB-second, $${PRICES.lambda.perMillionRequests} per million requests. Upstash, pay as you go, beyond its free quotas (${PRICES.upstash.readIn}): $${PRICES.upstash.per100kCommands} per 100,000 commands, $${PRICES.upstash.perGb} per GB of bandwidth. Egress is what AWS bills for sent bytes if Redis is reached over the internet (${PRICES.egress.readIn}): $${PRICES.egress.perGb} per GB.`,
        "Upstash bills each command of a pipeline. Upstash's price is the same for every client that sends the same commands: only fewer commands make it lower.",
        "Bytes include TLS and its handshakes, not the headers of TCP and IP.",
      ],
    };
  },
});

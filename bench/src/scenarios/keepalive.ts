import { commandsFunction, type Variant } from "../client/bench-client.js";
import { keepaliveChecks } from "../keepalive/keepalive-checks.js";
import { factor, headline } from "../results/format.js";
import {
  barChart,
  byClient,
  curveChart,
  initAndFirst,
  latencyColumns,
  lineChart,
  tableOf,
} from "../results/present.js";
import { GREETING, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { difference, ratio } from "../statistics/series.js";

/** The variants; `gapMs` is the time between init phase and event. */
const VARIANTS: readonly (Variant & { readonly gapMs: number })[] = [
  { keepAlive: true, reused: true, gapMs: 0 },
  { keepAlive: true, reused: true, gapMs: 50 },
  { keepAlive: true, reused: false, gapMs: 0 },
  { keepAlive: false, reused: true, gapMs: 0 },
  { keepAlive: false, reused: false, gapMs: 0 },
];
const nameOf = ({ keepAlive, reused, gapMs }: (typeof VARIANTS)[number]) =>
  `keep-alive ${keepAlive ? "on" : "off"}, ${reused ? "reused" : "recreated"}${gapMs > 0 ? ", event after a gap" : ""}`;

/** Runs the four variants of the article: keep-alive on or off, the client created outside or inside the handler. */
export default defineScenario({
  name: "keepalive",
  title: "Keep-alive in serverless functions",
  question:
    "How much faster is a command on a kept connection, and does it matter where the client is created?",
  fixed: ["tls"],
  order: 1,
  defaults: { rounds: [10, 5], invocations: [100, 20] },
  cases: async ({ rig, clients }) => {
    // The article calls an HTTPS endpoint.
    const own = await rig({ tls: true, greeting: true });
    return clients.flatMap((client) => VARIANTS.map((variant) => ({ client, ...variant, rig: own })));
  },
  label: ({ client, ...variant }) => `${client.label}, ${nameOf(variant)}`,
  run: async ({ client, rig, gapMs, ...variant }, { settings }) => {
    const what = (client.example ?? commandsFunction.bind(undefined, client))(variant, rig.endpoint);
    const before = rig.connectionsOpened(client);
    const options = { invocations: settings.invocations, expected: GREETING, trust: rig.trust, gapMs };
    const { init, first, warm } = await runInstance(client.label, what, options);
    return { init, first, warm, opened: rig.connectionsOpened(client) - before };
  },
  report: (rows, { settings }) => {
    const { invocations, rounds } = settings;
    // The order of VARIANTS.
    const clients = byClient(rows).flatMap(({ rows: own, ...of }) => {
      const [on, , recreated, off] = own;
      return off ? [{ ...of, client: off.client, on: on!, recreated: recreated!, off, all: own }] : [];
    });
    const atOnce = rows.filter(({ gapMs }) => gapMs === 0);
    return {
      headlines: clients.map(({ label, on, off }) =>
        headline(ratio(off.warm, on.warm), factor, `faster with keep-alive, warm p50, ${label}`),
      ),
      checks: keepaliveChecks(clients, rounds, rounds * invocations),
      table: tableOf(rows, ({ client }) => client.name, [
        ["client", ({ client }) => client.label],
        ["variant", nameOf],
        ["init ms", ({ init }) => init.estimate(), 1],
        ["first ms", ({ first }) => first.estimate()],
        ...latencyColumns("warm"),
        ["connections", ({ opened }) => opened.total],
      ]),
      charts: [
        curveChart("Warm invocations: latency by percentile", atOnce, {
          group: nameOf,
          series: ({ warm }) => warm,
        }),
        lineChart("Latency by the number of the call, first instance", "ms", "calls", atOnce, {
          group: nameOf,
          points: ({ first, warm }) =>
            [...first.rounds[0]!, ...warm.rounds[0]!].map((value, at) => [at + 1, value] as const),
        }),
        initAndFirst(
          "Init phase and first invocation",
          "Without a gap the event waits when the init phase ends, as in an on-demand start.",
          rows.filter(({ keepAlive, reused }) => keepAlive && reused),
          ({ client, gapMs }) => `${client.label}, ${gapMs > 0 ? `event ${gapMs} ms later` : "no gap"}`,
        ),
        barChart("Time that keep-alive saves per warm command, p50", "ms", clients, {
          value: ({ on, off }) => difference(off.warm, on.warm),
        }),
      ],
      notes: [
        `Each client runs ${invocations} invocations of one GET per variant in each of ${rounds} instances, over TLS. A latency is the handler's total time, creating the client included if the variant does so. The first invocation of an instance is not among the warm ones.`,
        "Connections are counted at the proxy, which adds the round-trip time to handshakes too. The testbed's runtime has loaded node:http before the init phase, which favours the bare agent; in the scenario cold nothing is loaded.",
      ],
    };
  },
});

import { setTimeout as pause } from "node:timers/promises";
import { limitFlags } from "../fleet/measure.js";
import { floodChecks } from "../flood/flood-checks.js";
import { type FloodCase, nameOf, startSite } from "../flood/site.js";
import { factor, headline } from "../results/format.js";
import { barChart, curveChart, latencyColumns, meanColumns, tableOf } from "../results/present.js";
import { defineScenario } from "../scenario.js";
import { percentile, ratio } from "../statistics/series.js";

const HARD = 1_000;
const SOFT = 900;
const FLOOD = { connections: 2 * HARD, overMs: 10_000, everyMs: 500 };
/** Connections that are in use all the time, and how often each sends a request, in ms. */
const USERS = 20;
const EVERY_MS = 10;
const IDLE = { connections: 5_000, overMs: 5_000, everyMs: null };
/** Warm-up in ms before recording, until the gateway's code is compiled. */
const WARM_UP_MS = 3_000;
const LIMITS = { hard: HARD, users: USERS, idle: IDLE.connections };

const style = ({ name, hue }: { name: string; hue: number }) => ({ label: name, hue });

/** Opens more connections than the gateway's hard limit allows, while others are in use. */
export default defineScenario({
  name: "flood",
  title: "A flood of connections",
  question: "How do active clients fare when twice as many connections arrive as the gateway allows?",
  clients: { words: [], reason: "The load is plain connections: servers are measured." },
  protocol: "http",
  fixed: ["rtt", "tls", "engine"],
  order: 9.5,
  defaults: { rounds: [36, 1], seconds: [5, 4] },
  cases: async (context) => {
    const { progress, record } = context;
    progress.note(`${IDLE.connections} idle connections`);
    const roomy = await startSite(context, []);
    const idle = await roomy.site.holdIdle(IDLE);
    await roomy.close();
    record({ softLimit: SOFT, hardLimit: HARD, flood: FLOOD, idle: { ...IDLE, ...idle } });
    const cases: FloodCase[] = [{}, ...context.clients.map((client) => ({ client }))].map((each) => ({
      ...each,
      idle,
      running: {},
    }));
    return cases;
  },
  label: nameOf,
  group: nameOf,
  session: async ([each], context) => {
    const { site, close } = await startSite(context, limitFlags(SOFT, HARD));
    await site.startUsers(USERS, EVERY_MS, context.settings.seed, each!.client);
    await pause(WARM_UP_MS);
    each!.running.site = site;
    return close;
  },
  run: ({ running }, { settings }) => running.site!.flood(FLOOD, settings.seconds * 1_000, USERS),
  report: (rows, { settings }) => {
    const [row] = rows as [(typeof rows)[number]];
    const { idle } = row;
    const p99 = percentile(99);
    const slower = ratio(row.flood, row.quiet, p99);
    const phases = rows.flatMap((own) => {
      const shared = { by: nameOf(own), quiet: own.quiet };
      return [
        { ...shared, name: "before the flood", hue: 0, latencies: own.quiet, memory: own.memoryQuiet },
        { ...shared, name: "during the flood", hue: 1, latencies: own.flood, memory: own.memoryFlood },
        { ...shared, name: "after the flood", hue: 2, latencies: own.after, memory: own.memoryAfter },
      ];
    });
    const marks = { style, group: ({ by }: (typeof phases)[number]) => by };
    const { opened, refused } = row;
    return {
      headlines: [
        headline(slower, factor, "p99 of active connections during the flood, relative to before"),
        { value: `${refused.total} of ${opened.total}`, label: "new connections refused" },
        { value: `${idle.kbEach.toFixed(1)} KB`, label: "memory per idle connection" },
      ],
      checks: floodChecks(row, idle, LIMITS),
      table: tableOf(phases, ({ by }) => by, [
        ["active connections", ({ by }) => by],
        ["phase", ({ name }) => name],
        ["requests", ({ latencies }) => latencies.count],
        ...latencyColumns("latencies"),
        ["p99 relative to before", ({ latencies, quiet }) => ratio(latencies, quiet, p99)],
        ...meanColumns({ memory: "memory MB" }),
      ]),
      charts: [
        curveChart("Latency of active connections by percentile", phases, {
          ...marks,
          series: ({ latencies }) => latencies,
        }),
        barChart("99th percentile of active connections", "ms", phases, {
          ...marks,
          value: ({ latencies }) => latencies.estimate(p99),
        }),
      ],
      notes: [
        `${USERS} active connections, in a separate process, send a GET every ${EVERY_MS / 2} to ${1.5 * EVERY_MS} ms during all rounds. A request that is late because of the one before counts from the time at which it was due. Each round records their latencies for ${settings.seconds} s, then for ${FLOOD.overMs / 1_000} s while another process opens ${FLOOD.connections} connections at an even rate, then for ${settings.seconds} s after these are closed.`,
        `Each new connection sends a GET every ${FLOOD.everyMs / 1_000} s, so that none is idle and can be evicted. A refused connection is not retried. Limits: soft ${SOFT}, hard ${HARD}.`,
        `A separate gateway with default limits holds the ${IDLE.connections} idle connections. Each has received one response and sends one more request at the end. Clients, gateway and Redis share the processors. The checks are those of bare sockets.`,
      ],
    };
  },
});

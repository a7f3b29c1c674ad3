import { setTimeout as pause } from "node:timers/promises";
import { findRedisServer } from "warmline-testbed";
import { limitFlags } from "../fleet/measure.js";
import { floodChecks } from "../flood/flood-checks.js";
import { FloodSite } from "../flood/measure.js";
import { factor, withInterval } from "../format.js";
import { barChart, curveChart, latencyColumns, tableOf } from "../present.js";
import { GREETING } from "../run-instance.js";
import { defineScenario } from "../scenario.js";
import { mean, percentile, ratio } from "../series.js";

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
  clients: [],
  order: 9.5,
  defaults: { rounds: [7, 1], seconds: [10, 4] },
  cases: async ({ rig, defer, progress, record, settings }) => {
    const redis = findRedisServer() !== undefined;
    const start = async (gatewayArgs: string[]) => {
      const own = await rig({ rttMs: 0, tls: false, redis, gatewayArgs });
      await own.command("SET", "greeting", GREETING);
      const site = await FloodSite.start(own);
      defer(() => site.close());
      return { own, site };
    };
    progress.note(`${IDLE.connections} idle connections`);
    const roomy = await start([]);
    const idle = await roomy.site.holdIdle(IDLE);
    roomy.site.close();
    await roomy.own.close();
    const { site } = await start(limitFlags(SOFT, HARD));
    await site.startUsers(USERS, EVERY_MS, settings.seed);
    await pause(WARM_UP_MS);
    record({ softLimit: SOFT, hardLimit: HARD, flood: FLOOD, idle: { ...IDLE, ...idle } });
    return [{ site, idle }];
  },
  label: () => "flooding",
  run: ({ site }, { settings }) => site.flood(FLOOD, settings.seconds * 1_000, USERS),
  report: ([all], { settings }) => {
    const { idle, ...row } = all!;
    const p99 = percentile(99);
    const slower = ratio(row.flood, row.quiet, p99);
    const phases = [
      { name: "before the flood", hue: 0, latencies: row.quiet, memory: row.memoryQuiet },
      { name: "during the flood", hue: 1, latencies: row.flood, memory: row.memoryFlood },
      { name: "after the flood", hue: 2, latencies: row.after, memory: row.memoryAfter },
    ];
    const { opened, refused } = row;
    return {
      headlines: [
        {
          value: withInterval(slower, factor),
          label: "p99 of active connections during the flood, relative to before",
        },
        { value: `${refused.total} of ${opened.total}`, label: "new connections refused" },
        { value: `${idle.kbEach.toFixed(1)} KB`, label: "memory per idle connection" },
      ],
      checks: floodChecks(row, idle, LIMITS),
      table: tableOf(phases, () => "", [
        ["phase", ({ name }) => name],
        ["requests", ({ latencies }) => latencies.count],
        ...latencyColumns("latencies"),
        ["p99 relative to before", ({ latencies }) => ratio(latencies, row.quiet, p99)],
        ["memory MB", ({ memory }) => memory.estimate(mean), 0],
      ]),
      charts: [
        curveChart("Latency of active connections by percentile", phases, {
          style,
          series: ({ latencies }) => latencies,
        }),
        barChart("99th percentile of active connections", "ms", phases, {
          style,
          value: ({ latencies }) => latencies.estimate(p99),
        }),
      ],
      notes: [
        `${USERS} active connections, in a separate process, send a GET every ${EVERY_MS / 2} to ${1.5 * EVERY_MS} ms during all rounds. A request that is late because of the one before counts from the time at which it was due. Each round records their latencies for ${settings.seconds} s, then for ${FLOOD.overMs / 1_000} s while another process opens ${FLOOD.connections} connections at an even rate, then for ${settings.seconds} s after these are closed.`,
        `Each new connection sends a GET every ${FLOOD.everyMs / 1_000} s, so that none is idle and can be evicted. A refused connection is not retried. Limits: soft ${SOFT}, hard ${HARD}.`,
        `A separate gateway with default limits holds the ${IDLE.connections} idle connections. Each has received one response and sends one more request at the end. Clients, gateway and Redis share the processors.`,
      ],
    };
  },
});

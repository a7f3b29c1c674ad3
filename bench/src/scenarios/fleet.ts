import { arrivals, type Load } from "../fleet/arrivals.js";
import { fleetChecks } from "../fleet/fleet-checks.js";
import { limitFlags, measureFleet, refuseAbove } from "../fleet/measure.js";
import { predict } from "../fleet/model.js";
import { count, factor, ms, withInterval } from "../format.js";
import {
  barChart,
  curveChart,
  latencyColumns,
  lineChart,
  meanColumns,
  tableOf,
  totalColumns,
} from "../present.js";
import { defineScenario } from "../scenario.js";
import { mean, percentile, ratio } from "../series.js";

const [SOFT, HARD] = [400, 700];
const LOAD: Load = { quiet: 60, burst: 1_000, burstMs: 1_200, everyMs: 6_000 };
/** The platform, and the function's work after its command in ms. */
const FLEET = { maxInstances: 1_000, workMs: 900, softLimit: SOFT, hardLimit: HARD };
/** Lifetime of an idle instance in ms of real time. */
const LIFETIME_MS = 300_000;
const MEANS = {
  instances: "instances",
  peakOpen: "peak open",
  evicted: "evicted",
  refusals: "refusals",
  reopened: "reopened",
  cutOff: "cut off",
};

const ARMS = [
  { arm: "no limit", hue: 1, gatewayArgs: [] },
  { arm: "hard limit, no eviction", hue: 2, gatewayArgs: [] },
  { arm: "soft and hard limit", hue: 0, gatewayArgs: limitFlags(SOFT, HARD) },
];
const style = ({ arm, hue }: { arm: string; hue: number }) => ({ label: arm, hue });

/** Runs a thousand simulated instances, in bursts and frozen in between, against one gateway. */
export default defineScenario({
  name: "fleet",
  title: "A thousand instances on one gateway",
  question: "How many connections do a thousand instances hold, and what do the gateway's limits change?",
  clients: [],
  order: 9,
  defaults: { rounds: [5, 1], seconds: [20, 8], speedup: [30, 30] },
  cases: ({ settings, record }) => {
    record({ ...FLEET, load: LOAD });
    const times = arrivals(LOAD, settings.seconds * 1_000, settings.seed);
    return ARMS.map((arm) => ({ ...arm, times }));
  },
  label: ({ arm }) => arm,
  run: async ({ arm, times, gatewayArgs }, { settings, progress, rig: startRig }) => {
    const rig = await startRig({ rttMs: 0, tls: false, gatewayArgs });
    if (arm.includes("no eviction")) refuseAbove(rig.proxy, HARD);
    const fleet = { arrivals: times, lifetimeMs: LIFETIME_MS / settings.speedup, ...FLEET };
    return measureFleet(rig, fleet, ({ open }) => progress.note(`${arm}, ${open} connections`));
  },
  report: (rows, { settings }) => {
    const [unlimited, hard, limited] = [rows[0]!, rows[1]!, rows[2]!];
    const { times } = unlimited;
    const model = predict({ arrivals: times, ...FLEET });
    const p99 = (row: typeof unlimited) => withInterval(row.latencies.estimate(percentile(99)), ms);
    return {
      headlines: [
        ...rows.map((row) => ({
          value: withInterval(row.peakOpen.estimate(mean), count),
          label: `connections at the peak, ${row.arm}; p99 of a command ${p99(row)}`,
        })),
        {
          value: withInterval(ratio(limited.latencies, unlimited.latencies, percentile(99)), factor),
          label: "p99 with limits, relative to no limit",
        },
      ],
      checks: fleetChecks({ unlimited, hard, limited }, model, HARD, times.length),
      table: tableOf(rows, ({ arm }) => arm, [
        ["gateway", ({ arm }) => arm],
        ["invocations per round", () => times.length],
        ...meanColumns(MEANS),
        ...totalColumns({ failed: "failed", throttled: "throttled" }),
        ...latencyColumns("latencies"),
      ]),
      charts: [
        lineChart("Connections open at the gateway over time, first round", "connections", "s", rows, {
          style,
          points: ({ samples }) => samples[0]!.map(({ atS, open }) => [atS, open] as const),
        }),
        curveChart("Command latency, connecting and refusals included", rows, {
          style,
          series: ({ latencies }) => latencies,
        }),
        barChart("Refusals per round", "", rows, { style, value: (row) => row.refusals.estimate(mean) }),
      ],
      notes: [
        `${times.length} invocations in ${settings.seconds} s per round, at random times determined by the seed: ${LOAD.quiet} per second, and ${LOAD.burst} per second in bursts of ${LOAD.burstMs / 1_000} s. Each runs one GET and ${FLEET.workMs} ms of work. The platform uses the most recently used idle instance, else it starts one, up to ${FLEET.maxInstances}; an invocation without an instance is throttled. Latencies count from the moment at which an invocation is due.`,
        `Instances are simulated: each is one connection that is not read while the instance is frozen. After ${LIFETIME_MS / 1_000} s of idle time (${settings.speedup} times faster here) an instance ends without closing its connection. After a refusal the client waits 250 ms.`,
        "Without eviction, a proxy in front of the gateway refuses new connections above the hard limit; the gateway still counts a connection that is about to be refused. All instances run in one process. Latencies are those of a busy machine: compare them with each other only.",
      ],
    };
  },
});

import { arrivals, type Load } from "../fleet/arrivals.js";
import { fleetChecks } from "../fleet/fleet-checks.js";
import { type FleetArm, instanceArms, runInstances } from "../fleet/instances.js";
import { limitFlags, measureFleet, refuseAbove, sampleGateway } from "../fleet/measure.js";
import type { GatewaySample } from "../fleet/metrics.js";
import { NO_MODEL, predict } from "../fleet/model.js";
import { count, factor, headline, ms, withInterval } from "../results/format.js";
import { barChart, curveChart, latencyColumns, lineChart, meanColumns, tableOf } from "../results/present.js";
import { defineScenario } from "../scenario.js";
import { mean, percentile, ratio } from "../statistics/series.js";

const [SOFT, HARD] = [400, 700];
const LOAD: Load = { quiet: 60, burst: 1_000, burstMs: 1_200, everyMs: 6_000 };
/** The platform, and the function's work after its command in ms. */
const FLEET = {
  maxInstances: 1_000,
  workMs: 900,
  timeoutMs: 60_000,
  retries: 20,
  retryAfterMs: 250,
  softLimit: SOFT,
  hardLimit: HARD,
};
/** Lifetime of an idle instance in ms of real time. */
const LIFETIME_MS = 300_000;
const MEANS = {
  invocations: "invocations",
  instances: "instances",
  peakOpen: "peak open",
  evicted: "evicted",
  refusals: "refusals",
  reopened: "reopened",
  cutOff: "cut off",
  failed: "failed",
  throttled: "throttled",
};

const ARMS: readonly FleetArm[] = [
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
  clients: { words: [], reason: "The load is plain connections: servers are measured." },
  protocol: "http",
  fixed: ["rtt", "tls"],
  order: 9,
  defaults: { rounds: [1, 1], seconds: [12, 8], speedup: [30, 30] },
  cases: ({ clients, record }) => {
    record({ ...FLEET, load: LOAD });
    return [...ARMS, ...instanceArms(clients)];
  },
  label: ({ arm }) => arm,
  run: async ({ arm, gatewayArgs, client }, { settings, progress, random, rig: startRig }, round) => {
    // The arms of a round have the same arrivals, rounds and runs of other seeds have others.
    const times = arrivals(LOAD, settings.seconds * 1_000, settings.seed * 1_000 + round);
    const rig = await startRig({ rttMs: 0, tls: false, gatewayArgs });
    try {
      if (arm.includes("no eviction")) refuseAbove(rig.proxy, HARD);
      const onSample = ({ open }: GatewaySample) => progress.note(`${arm}, ${open} connections`);
      const fleet = { arrivals: times, lifetimeMs: LIFETIME_MS / settings.speedup, ...FLEET };
      if (client) {
        const run = () => runInstances(rig, client, settings.seconds, FLEET.timeoutMs, random);
        const { refused, ...rest } = await sampleGateway(rig, onSample, run);
        // The client handles refusals itself; the gateway counts them.
        return { ...rest, refusals: refused, refused, invocations: rest.latencies.length, model: NO_MODEL };
      }
      const measured = await measureFleet(rig, fleet, onSample);
      return { ...measured, invocations: times.length, model: predict({ arrivals: times, ...FLEET }) };
    } finally {
      // The gateways of later cases have the machine to themselves.
      await rig.close();
    }
  },
  report: (rows, { settings }) => {
    const [unlimited, hard, limited] = [rows[0]!, rows[1]!, rows[2]!];
    const p99 = (row: typeof unlimited) => withInterval(row.latencies.estimate(percentile(99)), ms);
    const slower = ratio(limited.latencies, unlimited.latencies, percentile(99));
    return {
      headlines: [
        ...rows.map((row) => {
          const label = `connections at the peak, ${row.arm}; p99 of a command ${p99(row)}`;
          return headline(row.peakOpen.estimate(mean), count, label);
        }),
        headline(slower, factor, "p99 with limits, relative to no limit"),
      ],
      checks: fleetChecks({ unlimited, hard, limited }, HARD),
      table: tableOf(rows, ({ arm }) => arm, [
        ["gateway", ({ arm }) => arm],
        ...meanColumns(MEANS, 1),
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
        `Each round has ${settings.seconds} s of invocations at random times, which the seed and the round determine: ${LOAD.quiet} per second, and ${LOAD.burst} per second in bursts of ${LOAD.burstMs / 1_000} s. Each runs one GET and ${FLEET.workMs} ms of work. The platform uses the most recently used idle instance, else it starts one, up to ${FLEET.maxInstances}; an invocation without an instance is throttled. Latencies count from the moment at which an invocation is due. An invocation that fails or is throttled counts with the function's timeout of ${FLEET.timeoutMs.toLocaleString("en")} ms. Numbers are means per round.`,
        `Instances are simulated: each is one connection that is not read while the instance is frozen. After ${LIFETIME_MS / 1_000} s of idle time (${settings.speedup} times faster here) an instance ends without closing its connection. After a refusal the client waits ${FLEET.retryAfterMs} ms and tries again, up to ${FLEET.retries} times.`,
        "With --clients, real instances of a client run GETs at random times, frozen in between, with fewer connections allowed than instances.",
        "Without eviction, a proxy in front of the gateway refuses new connections above the hard limit; the gateway still counts a connection that is about to be refused. All instances run in one process. Latencies are those of a busy machine: compare them with each other only.",
      ],
    };
  },
});

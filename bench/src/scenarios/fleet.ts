import { httpResponse, type NetworkProxy } from "warmline-testbed";
import { handlerPath } from "../client/bench-client.js";
import { gatewayTarget } from "../client/raw-connection.js";
import { arrivals, type Load, predict } from "../fleet/arrivals.js";
import type { FleetEvent, handler } from "../handlers/fleet.js";
import { atMost, exactly } from "../results/checks.js";
import { count, latencyColumns, linesOf, meanColumns, ms, tabulate } from "../results/present.js";
import { type Rig, readMetrics } from "../rig/rig.js";
import { type Body, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { combine, mean, percentile, Series } from "../statistics/series.js";
import { whileSampling } from "../util/promises.js";

const [SOFT, HARD] = [400, 700];
const LOAD: Load = { quiet: 60, burst: 1_000, burstMs: 1_200, everyMs: 6_000 };
/** The platform, and the function's work after its command in ms. */
const FLEET = { maxInstances: 1_000, workMs: 900, timeoutMs: 60_000, retries: 20, retryAfterMs: 250 };
const LIMITS = { softLimit: SOFT, hardLimit: HARD };
/** Lifetime of an idle instance in ms: a thirtieth of that on a platform, so that some end within a run. */
const LIFETIME_MS = 10_000;
const TOLERANCE = 0.15;
const CHART = { title: "Connections open over time, first round", unit: "connections", along: "s" };

const LIMIT_ARGS = [`--soft-max-connections=${SOFT}`, `--max-connections=${HARD}`];
const ARMS = [
  { arm: "no limit", refuses: false, gatewayArgs: [] },
  { arm: "hard limit, no eviction", refuses: true, gatewayArgs: [] },
  { arm: "soft and hard limit", refuses: false, gatewayArgs: LIMIT_ARGS },
];

const SAMPLE_MS = 250;

/** Runs a fleet against a gateway, through the rig's proxy. Returns its report, and the gateway's own counts. */
async function measureFleet({ gateway, proxies }: Rig, fleet: Omit<FleetEvent, "target">) {
  const target = gatewayTarget({ port: proxies[0]!.port, token: gateway.token });
  const event: FleetEvent = { ...fleet, target };
  const spec = { handler: handlerPath("fleet"), env: {} };
  // One request after another on one kept connection, so that reading the counts opens no other one and is never refused.
  const metrics = () => readMetrics(gateway);
  const samples: [atS: number, open: number][] = [];
  const begunAt = performance.now();
  const sample = async () => {
    // The connection that reads the metrics is one of those open.
    const open = (await metrics())("connections_open") - 1;
    samples.push([(performance.now() - begunAt) / 1_000, open]);
  };
  const { bodies } = await whileSampling(SAMPLE_MS, sample, () =>
    runInstance("The fleet", spec, { events: [event], timeoutMs: 300_000 }),
  );
  const last = await metrics();
  const peakOpen = Math.max(...samples.map(([, open]) => open));
  const [evicted, upstream] = [last("connections_evicted_total"), last("upstream_connections")];
  return { ...(bodies[0] as Body<typeof handler>), samples, peakOpen, evicted, upstream };
}

/** Makes a proxy refuse connections above a limit, as a server with a hard limit and without eviction does. */
function refuseAbove(proxy: NetworkProxy, limit: number): void {
  proxy.onConnection(() => {
    if (proxy.connections.length < limit) return undefined;
    return {
      exchange: () => ({
        request: (connection) => {
          connection.toClient(httpResponse(503, "", { Connection: "close" }));
          connection.close();
        },
      }),
    };
  });
}

export default defineScenario({
  name: "fleet",
  title: "A thousand instances on one gateway",
  question: "How many connections do a thousand instances hold, and what do the gateway's limits change?",
  clients: "none",
  fixed: ["rtt", "tls"],
  defaults: { rounds: [1, 1], seconds: [10, 8] },
  cases: ({ record }) => {
    record({ ...FLEET, ...LIMITS, lifetimeMs: LIFETIME_MS, load: LOAD });
    return ARMS;
  },
  label: ({ arm }) => arm,
  run: async ({ refuses, gatewayArgs }, { settings, rig: startRig }, round) => {
    // The arms of a round have the same arrivals, rounds and runs of other seeds have others.
    const times = arrivals(LOAD, settings.seconds * 1_000, settings.seed * 1_000 + round);
    const rig = await startRig({ rttMs: 0, tls: false, gatewayArgs, greeting: true });
    if (refuses) refuseAbove(rig.proxies[0]!, HARD);
    const measured = await measureFleet(rig, { arrivals: times, lifetimeMs: LIFETIME_MS, ...FLEET });
    const model = predict({ arrivals: times, ...FLEET, ...LIMITS });
    return { ...measured, invocations: times.length, model };
  },
  report: (rows, { settings }) => {
    type Arm = (typeof rows)[number];
    const [unlimited, hard, limited] = rows as readonly [Arm, Arm, Arm];
    const { peakOpen, evicted, failed, throttled } = limited;
    const p99 = (arm: Arm) => ms(arm.latencies.estimate(percentile(99)).value);
    const refusals = (arm: Arm) => count(arm.refusals.estimate(mean).value);
    const predicted = new Series(unlimited.model.map(({ connectionsUnlimited }) => [connectionsUnlimited]));
    const off = combine([unlimited.peakOpen, predicted], (open, all) => Math.abs(open / all - 1), mean);
    const upstream = Math.max(...rows.map((row) => row.upstream.max));
    const asPredicted = limited.model.map(({ connectionsLimited: [least, most], evicts }, round) => {
      const [open, closed] = [peakOpen.rounds[round]![0]!, evicted.rounds[round]![0]!];
      return open >= least * (1 - TOLERANCE) && open <= most * (1 + TOLERANCE) && evicts === closed > 0;
    });
    return {
      checks: [
        atMost(
          "evicting idle connections at least halves the refusals of the same hard limit",
          combine([limited.refusals, hard.refusals], (own, all) => (own === all ? 1 : own / all), mean),
          0.5,
          {
            article: "serverless.eviction",
            detail: `${refusals(limited)} against ${refusals(hard)} per round; p99 ${p99(limited)} against ${p99(hard)}, ${p99(unlimited)} without a limit`,
          },
        ),
        exactly("the gateway never exceeds its hard limit", peakOpen.max <= HARD, `at most ${peakOpen.max}`),
        exactly(
          "with limits, every invocation that got an instance succeeds in the end",
          failed.total === 0,
          `${failed.total} failed, ${throttled.total} throttled by the platform, of ${limited.invocations.total}`,
        ),
        atMost(
          `the model of docs/scale.md predicts the peak without limits within ${TOLERANCE * 100}%`,
          off,
          TOLERANCE,
          {
            detail: `${predicted.rounds.flat().join(", ")} predicted`,
            text: (value) => value.toFixed(3),
          },
        ),
        exactly(
          "the model predicts the range of connections with limits, and evictions",
          asPredicted.every(Boolean),
          `in ${asPredicted.filter(Boolean).length} of ${asPredicted.length} rounds; ${peakOpen.min} to ${peakOpen.max} connections, ${evicted.total} evicted`,
        ),
        exactly(
          "the connections to Redis do not grow with the fleet",
          upstream <= 2,
          `${upstream} for ${unlimited.instances.max} instances`,
        ),
      ],
      ...tabulate(rows, { group: ({ arm }) => arm }, [
        ["gateway", ({ arm }) => arm],
        ...meanColumns({ invocations: "invocations", instances: "instances", peakOpen: "peak open" }, 1),
        ...meanColumns({ evicted: "evicted", refusals: "refusals", reopened: "reopened" }, 1),
        ...meanColumns({ cutOff: "cut off", failed: "failed", throttled: "throttled" }, 1),
        ...latencyColumns("latencies"),
      ]),
      charts: [linesOf(rows, { ...CHART, label: ({ arm }) => arm, points: ({ samples }) => samples[0]! })],
      notes: [
        `Each round has ${settings.seconds} s of invocations at random times, which the seed and the round determine: ${LOAD.quiet} per second, and ${LOAD.burst} per second in bursts of ${LOAD.burstMs / 1_000} s. Each runs one GET and ${FLEET.workMs} ms of work. The platform uses the most recently used idle instance, else it starts one, up to ${FLEET.maxInstances}; an invocation without an instance is throttled. Latencies count from the moment at which an invocation is due. An invocation that fails or is throttled counts with the function's timeout of ${FLEET.timeoutMs.toLocaleString("en")} ms. Numbers are means per round.`,
        `Instances are simulated: each is one connection that is not read while the instance is frozen. After ${LIFETIME_MS / 1_000} s of idle time an instance ends without closing its connection, thirty times earlier than on a platform. After a refusal the client waits ${FLEET.retryAfterMs} ms and tries again, up to ${FLEET.retries} times.`,
        "Without eviction, a proxy in front of the gateway refuses new connections above the hard limit; the gateway still counts a connection that is about to be refused. All instances run in one process. Latencies are those of a busy machine: compare them with each other only.",
      ],
    };
  },
});

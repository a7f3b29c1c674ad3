import { startInstance } from "warmline-testbed";
import { versionsOf } from "../available-clients.js";
import { ownHandler } from "../bench-client.js";
import { arrivals, type Load } from "../fleet/arrivals.js";
import { GatewayMetrics, type GatewaySample } from "../fleet/metrics.js";
import { type FleetModelInput, predict } from "../fleet/model.js";
import { buildReport, type Measurement } from "../fleet/report.js";
import type { FleetEvent, FleetReport } from "../handlers/fleet.js";
import { Latencies } from "../latencies.js";
import { randomFrom, shuffled } from "../random.js";
import type { Outcome } from "../result.js";
import { startRig } from "../rig.js";
import { GREETING } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";

const MAX_INSTANCES = 1_000;
const LIMITS = { softLimit: 400, hardLimit: 700 };
const LOAD: Load = { quiet: 60, burst: 1_000, burstMs: 1_200, everyMs: 6_000 };
/** The function's work after its command, in ms. */
const WORK_MS = 900;
/** Lifetime of an idle instance in ms of real time. */
const LIFETIME_MS = 300_000;
const SAMPLE_MS = 250;

/** Runs a thousand simulated instances, in bursts and frozen in between, against one gateway. */
const fleet: Scenario = {
  name: "fleet",
  title: "A thousand instances on one gateway",
  question: "How many connections do a thousand instances hold, and what do the gateway's limits change?",
  clients: [],
  order: 9,
  run: measure,
};

export default fleet;

async function measure(settings: Settings): Promise<Outcome> {
  const seconds = settings.seconds ?? (settings.quick ? 8 : 30);
  const speedup = settings.speedup ?? 30;
  const times = arrivals(LOAD, seconds * 1_000, settings.seed);
  const facts: FleetModelInput = {
    arrivals: times,
    takesMs: WORK_MS,
    maxInstances: MAX_INSTANCES,
    ...LIMITS,
  };
  const measured: Measurement[] = [];
  let engine = "";
  for (const limits of shuffled([true, false], randomFrom(settings.seed))) {
    const args = [
      "--soft-max-connections",
      String(LIMITS.softLimit),
      "--max-connections",
      String(LIMITS.hardLimit),
    ];
    const rig = await startRig({ ...settings, rttMs: 0, tls: false, gatewayArgs: limits ? args : [] });
    engine = rig.engine;
    try {
      await rig.command("SET", "greeting", GREETING);
      const { url, port, token } = rig.gateway;
      const event: FleetEvent = {
        target: { port, tls: false, auth: { protocol: "http", token } },
        arrivals: times,
        workMs: WORK_MS,
        lifetimeMs: LIFETIME_MS / speedup,
        maxInstances: MAX_INSTANCES,
      };
      measured.push(
        await run(new GatewayMetrics(url, token), event, limits, seconds, settings, measured.length),
      );
    } finally {
      await rig.close();
    }
  }
  measured.sort((a, b) => Number(a.limits) - Number(b.limits));
  const model = predict(facts);
  return {
    ...buildReport(measured, model, LIMITS),
    notes: [
      `${times.length} invocations in ${seconds} s, at random times determined by the seed: ${LOAD.quiet} per second, and ${LOAD.burst} per second in bursts of ${LOAD.burstMs / 1_000} s. Each runs one GET and ${WORK_MS} ms of work and occupies an instance during that time. The platform uses the most recently used idle instance, else it starts one, up to ${MAX_INSTANCES}.`,
      `Instances are simulated: each is one connection that is not read while the instance is frozen. After ${LIFETIME_MS / 1_000} s of idle time (${speedup} times faster here) an instance ends without closing its connection. A connection that is closed after a thaw is opened again. After a refusal the client waits 250 ms.`,
      "All instances run in one process. Latencies are those of a busy machine: compare them with each other only.",
    ],
    settings: {
      seconds,
      speedup,
      maxInstances: MAX_INSTANCES,
      ...LIMITS,
      load: LOAD,
      workMs: WORK_MS,
      rttMs: 0,
      tls: false,
      engine,
      quick: settings.quick,
    },
    versions: versionsOf([]),
    data: { measured, model },
  };
}

async function run(
  metrics: GatewayMetrics,
  event: FleetEvent,
  limits: boolean,
  seconds: number,
  settings: Settings,
  already: number,
): Promise<Measurement> {
  const instance = await startInstance({ handler: ownHandler("fleet"), env: {}, timeoutMs: 300_000 });
  const samples: GatewaySample[] = [];
  let over = false;
  const sampling = (async () => {
    while (!over) {
      const sample = await metrics.sample();
      samples.push(sample);
      const done = already + Math.min(1, sample.atS / (seconds + 2));
      settings.progress.step(
        Math.round(done * 100),
        200,
        `${sample.open} connections, limits ${limits ? "on" : "off"}`,
      );
      await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS));
    }
  })();
  try {
    const { result, error } = await instance.invoke(event);
    if (error) throw new Error(`The fleet failed: ${error.errorMessage}\n${instance.output}`);
    over = true;
    await sampling;
    const { latencies, ...report } = (result as { body: FleetReport }).body;
    const summary = new Latencies();
    for (const latency of latencies) summary.record(latency);
    const last = await metrics.sample();
    return {
      limits,
      invocations: event.arrivals.length,
      ...report,
      latency: summary.stats(),
      samples,
      peakOpen: Math.max(...samples.map(({ open }) => open)),
      evicted: last.evicted,
      refused: last.refused,
      upstream: last.upstream,
    };
  } finally {
    over = true;
    await sampling.catch(() => {});
    metrics.close();
    await instance.stop();
  }
}

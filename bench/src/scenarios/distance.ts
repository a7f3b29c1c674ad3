import { availableClients, versionsOf } from "../available-clients.js";
import { type BenchClient, commandsFunction } from "../bench-client.js";
import { buildReport, type Case, distanceOf, type Measurement } from "../distance/report.js";
import { spreadOf } from "../latencies.js";
import type { Outcome } from "../result.js";
import { conditionsOf, type Site, startRig } from "../rig.js";
import { inRounds } from "../rounds.js";
import { GREETING, runInstance } from "../run-instance.js";
import type { Scenario, Settings } from "../scenario.js";
import { Series } from "../series.js";

/** Round-trip times in ms: loopback, one zone, two zones, near regions, across a continent. */
const ROUND_TRIPS = [0, 0.5, 2, 20, 70];
const QUICK_ROUND_TRIPS = [0, 2, 20];

/** Runs one GET per invocation over several round-trip times, plain and with TLS, keep-alive on and off. */
const distance: Scenario = {
  name: "distance",
  title: "Keep-alive by round-trip time",
  question: "How does the gain from keep-alive grow with the round-trip time, and with TLS?",
  clients: "all",
  distances: true,
  order: 2,
  run: measure,
};

export default distance;

async function measure(settings: Settings): Promise<Outcome> {
  const rtts = settings.rtts ?? (settings.quick ? QUICK_ROUND_TRIPS : ROUND_TRIPS);
  const invocations = settings.invocations ?? (settings.quick ? 12 : 30);
  const rounds = settings.rounds ?? (settings.quick ? 1 : 5);
  const { clients, redis, notes } = availableClients(settings.clients);
  const rig = await startRig({ ...settings, redis });
  try {
    await rig.command("SET", "greeting", GREETING);
    const cases: { series: Series<Case>; client: BenchClient; site: Site; firsts: number[] }[] = [];
    for (const tls of [false, true]) {
      for (const rttMs of rtts) {
        const site = await rig.at({ rttMs, tls });
        for (const client of clients) {
          for (const keepAlive of [true, false]) {
            const of = { client: client.name, label: client.label, rttMs, tls, keepAlive };
            cases.push({ series: new Series(of), client, site, firsts: [] });
          }
        }
      }
    }
    await inRounds(
      settings,
      rounds,
      cases,
      ({ series: { of } }) => `${of.label}, ${distanceOf(of)}`,
      async ({ series, client, site, firsts }) => {
        const { keepAlive, tls } = series.of;
        const what = commandsFunction(client, { keepAlive, reused: true }, site.endpoint);
        const options = { invocations, expected: GREETING, trust: tls ? rig.trust : {} };
        const [first, ...warm] = (await runInstance(client.label, what, options)).latencies;
        firsts.push(first!);
        series.add(warm);
      },
    );
    const measured: Measurement[] = cases.map(({ series, firsts }) => ({
      ...series.of,
      ...series.measured(),
      first: spreadOf(firsts),
    }));
    return {
      ...buildReport(measured),
      notes: [
        `For each round-trip time each client runs ${invocations} invocations of one GET in each of ${rounds} instances. The client is created outside the handler. The first invocation, which connects, is reported separately.`,
        "A round trip takes 0.5 ms within a zone, 2 ms between zones, 20 ms between near regions and 70 ms across a continent. The proxy delays handshakes too. It does not limit bandwidth.",
        ...notes,
      ],
      settings: {
        invocations,
        rounds,
        ...conditionsOf(settings, rig, clients),
        rttMs: rtts.join(", "),
        tls: "both",
      },
      versions: versionsOf(clients),
      data: measured,
    };
  } finally {
    await rig.close();
  }
}

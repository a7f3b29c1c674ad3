import { commandsFunction } from "../client/bench-client.js";
import { atLeast, decidedBy } from "../results/checks.js";
import { grouped, medianColumns, ms, tabulate } from "../results/present.js";
import { GREETING, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { difference, mean, ratio } from "../statistics/series.js";

/** Round-trip times in ms: loopback, one zone or two, near regions. */
const ROUND_TRIPS = [0, 1, 20];

const distanceOf = ({ rttMs, tls }: { rttMs: number; tls: boolean }) => `${rttMs} ms${tls ? ", TLS" : ""}`;

export default defineScenario({
  name: "distance",
  title: "Keep-alive by round-trip time",
  question: "How does the gain from keep-alive grow with the round-trip time, and with TLS?",
  clients: "candidates",
  distances: true,
  fixed: ["tls"],
  defaults: { rounds: [1, 1], invocations: [20, 12] },
  cases: async ({ rig, clients, settings, record }) => {
    const own = await rig({ greeting: true });
    const rtts = settings.rtts ?? ROUND_TRIPS;
    record({ rttMs: rtts.join(", "), tls: true });
    // As functions reach an HTTP API.
    const distances = rtts.map((rttMs) => ({ rttMs, tls: true }));
    const sites = await Promise.all(distances.map((distance) => own.at(distance)));
    return distances.flatMap((distance, at) =>
      clients.flatMap((client) =>
        [true, false].map((keepAlive) => ({ client, ...distance, keepAlive, site: sites[at]! })),
      ),
    );
  },
  label: (each) => `${each.client.label}, ${distanceOf(each)}`,
  group: distanceOf,
  run: async ({ client, keepAlive, site }, { settings }) => {
    const spec = commandsFunction(client, { keepAlive, reused: true }, site);
    const options = { invocations: settings.invocations, expected: GREETING };
    const { init, first, warm } = await runInstance(client.label, spec, options);
    return { init, first, warm };
  },
  report: (rows, { settings }) => {
    // With keep-alive and without.
    const both = grouped(rows, (row) => `${row.client.name}, ${distanceOf(row)}`);
    const kept = both.map(([, [on, off]]) => ({ ...on!, off: off!.warm }));
    const nearest = kept.filter(({ rttMs }) => rttMs === kept[0]!.rttMs);
    const redis = nearest.find(({ client }) => client.name === "ioredis");
    const overHttp = redis ? nearest.filter(({ client }) => client.protocol === "http") : [];
    const labelled = overHttp.map((row) => ({ ...row, label: row.client.label }));
    const decide = decidedBy(labelled, ({ client }) => client.name === "agent");
    return {
      checks: [
        ...kept.map((row) =>
          atLeast(
            `${row.client.label}, ${distanceOf(row)}: keep-alive is faster than reconnecting`,
            ratio(row.off, row.warm),
            1,
          ),
        ),
        ...decide("serverless.http", ({ label, warm }) =>
          atLeast(
            `${label}, ${distanceOf(redis!)}: slower than ioredis over TCP, on average`,
            difference(warm, redis!.warm, mean),
            0,
            { text: ms },
          ),
        ),
      ],
      ...tabulate(kept, { group: distanceOf, charts: ["warm p50 ms", "saved ms"] }, [
        ["round trip", distanceOf],
        ["client", ({ client }) => client.label],
        ["init ms", ({ init }) => init.estimate(), 1],
        ...medianColumns({ first: "first ms", warm: "warm p50 ms" }),
        ["warm p99 ms", ({ warm }) => warm.p(99)],
        ["p50 ms without keep-alive", ({ off }) => off.estimate()],
        ["saved ms", ({ off, warm }) => difference(off, warm)],
        ["speedup", ({ off, warm }) => ratio(off, warm), 1],
      ]),
      notes: [
        `For each round-trip time each client runs ${settings.invocations} invocations of one GET in each of ${settings.rounds} instances. The client is created outside the handler. The first invocation, which connects, is reported separately.`,
        "A round trip takes up to 1 ms between zones, and 20 ms between near regions. The proxy delays handshakes too. It does not limit bandwidth.",
      ],
    };
  },
});

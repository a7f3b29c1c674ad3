import { setTimeout as pause } from "node:timers/promises";
import { startCluster } from "warmline-testbed";
import type { BenchClient } from "../client/bench-client.js";
import twReuse from "../parts/tw-reuse.js";
import { atLeast, atMost } from "../results/checks.js";
import { count, linesOf, meanColumns, share, tabulate } from "../results/present.js";
import { started } from "../rig/rig.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { startGatewayTo } from "../sockets/gateway.js";
import { kernelMissing, timeWaitCounter } from "../sockets/kernel.js";
import { readOnce } from "../sockets/key-reader.js";
import { combine, mean, reduction } from "../statistics/series.js";
import { pageKeys } from "../util/random.js";
import { everyMs, runAt } from "../util/schedule.js";

/** Nodes of the cluster, and commands of a request: most nodes serve one, as in the article. */
const PRIMARIES = 24;
const COMMANDS = 40;
const REQUESTS_PER_S = 4;
/** The time in s for which Linux keeps a socket in TIME_WAIT. */
const LIFE_S = 60;
/** The time between two counts in ms. Each reads the list of all sockets. */
const SAMPLE_MS = 3_000;
/** The wait in ms after the last request, whose sockets are still closing, before the last count. */
const SETTLE_MS = 250;
/** Runs at the same time: the rounds take place at different times, and all of them less than ten minutes. */
const LANES = 3;
const TOLERANCE = 0.1;
const CHART = { title: "Sockets in TIME_WAIT over time, first round", unit: "sockets", along: "s" };

const WAYS = [
  { way: "direct to the cluster, new connections per request", direct: true },
  { way: "gateway, a connection per request" },
];
/** A way of web requests to the cluster. A client keeps its connections to the gateway. */
type Way = (typeof WAYS)[number] & { readonly client?: BenchClient };

export default defineScenario({
  name: "time-wait",
  title: "Sockets in TIME_WAIT, steady state",
  question: "How many sockets are in TIME_WAIT in the end, and does a model predict their number?",
  // A client adds two minutes, and decides no claim.
  clients: "warmline",
  protocol: "http",
  fixed: ["rtt", "tls"],
  lanes: LANES,
  parts: [twReuse],
  defaults: { rounds: [1, 1], seconds: [66, 4] },
  missing: () => kernelMissing() ?? redisMissing(),
  cases: async ({ clients, defer, record }) => {
    // In protected mode a node accepts connections of 127.0.0.1 alone, not of the other loopback addresses.
    const flags = ["--protected-mode", "no"];
    const cluster = await started(startCluster({ primaries: PRIMARIES, replicas: 0, flags }), defer);
    const engine = `redis-server, a cluster of ${PRIMARIES}`;
    record({ engine, rttMs: 0, tls: false, commandsPerRequest: COMMANDS });
    const ofClients = clients.map((client): Way => {
      return { way: `gateway, kept connections of ${client.label}`, client };
    });
    return [...(WAYS as Way[]), ...ofClients].map((way) => ({ ...way, cluster }));
  },
  label: ({ way }) => way,
  run: async ({ cluster, direct, client }, { settings, random, defer }) => {
    // A loopback address of its own tells the sockets of runs at the same time apart.
    const byte = () => 1 + Math.floor(random() * 250);
    const from = `127.${byte()}.${byte()}.${byte()}`;
    const gateway = direct ? undefined : await startGatewayTo(cluster, client, defer);
    const ports = gateway ? [gateway.target.port] : cluster.nodes.map(({ port }) => port);
    const request =
      gateway?.request ??
      ((keys: readonly string[]) => readOnce({ seedPort: cluster.nodes[0]!.port, from }, keys));
    const countTimeWait = timeWaitCounter(new Set(ports), undefined, direct ? from : undefined);
    const samples: [atS: number, timeWait: number][] = [];
    let [failed, closed] = [0, 0];
    await request(pageKeys(COMMANDS, random));
    const begunAt = performance.now();
    const elapsedS = () => (performance.now() - begunAt) / 1_000;
    const sample = () => samples.push([elapsedS(), countTimeWait()]);
    const sampling = setInterval(sample, SAMPLE_MS);
    defer(() => clearInterval(sampling));
    const page = async () => {
      try {
        const closing = await request(pageKeys(COMMANDS, random));
        closed += closing;
      } catch {
        failed++;
      }
    };
    await runAt(everyMs(1_000 / REQUESTS_PER_S, settings.seconds * 1_000), page);
    const tookS = elapsedS();
    await pause(SETTLE_MS);
    sample();
    const last = samples.filter(([atS], at) => atS > LIFE_S || at === samples.length - 1);
    const timeWait = mean(last.map(([, count]) => count));
    return { timeWait, closedPerS: closed / tookS, failed, samples };
  },
  report: (rows, { settings }) => {
    const [straight, anew] = [rows[0]!, rows[1]!];
    const fall = reduction(straight.timeWait, anew.timeWait);
    const off = combine(
      [straight.timeWait, straight.closedPerS],
      (sockets, perS) => Math.abs(sockets / (perS * LIFE_S) - 1),
      mean,
    );
    return {
      checks: [
        atLeast(`with some ${PRIMARIES - 4} nodes per request, a proxy reduces them by over 90%`, fall, 0.9, {
          article: "envoy.timeWait",
          text: share,
        }),
        atMost(
          `they pile up: after ${LIFE_S} s their number is that of the connections closed in ${LIFE_S} s, within ${TOLERANCE * 100}%`,
          off,
          TOLERANCE,
          {
            article: "envoy.pileUp",
            detail: `${count(straight.closedPerS.estimate(mean).value)} closed per second`,
            text: share,
          },
        ),
      ],
      ...tabulate(rows, { group: ({ way }) => way }, [
        ["connection", ({ way }) => way],
        ["failed", ({ failed }) => failed.total],
        ...meanColumns({ closedPerS: "closed per s", timeWait: "TIME_WAIT" }),
      ]),
      charts: [linesOf(rows, { ...CHART, label: ({ way }) => way, points: ({ samples }) => samples[0]! })],
      notes: [
        `${REQUESTS_PER_S} requests per second for ${settings.seconds} s, each with ${COMMANDS} GETs one after another, against a cluster of ${PRIMARIES} primaries on loopback. Up to ${LANES} runs at a time share the cluster and the processors. TIME_WAIT is the mean of the counts after ${LIFE_S} s, or the last one of a shorter run.`,
        "With one connection per request the reduction is 1 - 1/n for n nodes per request: the share follows from the set-up, so the article's number is not compared.",
      ],
    };
  },
});

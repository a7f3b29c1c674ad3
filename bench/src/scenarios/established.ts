import { FEW, HALF_S, type HeldWay, heldCases, LIMIT_S, MANY, NODES, PROCESSES } from "../held/held-cases.js";
import { startHeldCluster } from "../held/held-cluster.js";
import { startInstances, startUsers } from "../held/held-redis.js";
import redisMemory from "../parts/redis-memory.js";
import { atLeast, atMost, claimOf } from "../results/checks.js";
import { count, headline, share, withInterval } from "../results/format.js";
import { barChart, meanColumns, tableOf } from "../results/present.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { difference, mean, reduction } from "../statistics/series.js";
import { whileSampling } from "../util/sampling.js";

/** The mean pause in ms between two requests of a pod to a node, and of a process. */
const NODE_GAP_MS = 4_000;
const GAP_MS = (NODE_GAP_MS * PROCESSES) / NODES;
const SAMPLE_MS = 200;

/** Counts connections at the nodes of a cluster, reached by processes that come and go, and through a gateway per pod. */
export default defineScenario({
  name: "established",
  title: "Open connections at Redis",
  question: "How many connections does a cluster hold, by the number of pods and by its idle limit?",
  clients: { words: [], reason: "Processes are plain sockets, so that no library decides what is kept." },
  fixed: ["rtt", "tls", "engine"],
  order: 8.5,
  lanes: 4,
  parts: [redisMemory],
  defaults: { rounds: [1, 1], seconds: [12, 5] },
  missing: redisMissing,
  cases: ({ clients, record }) => {
    const gaps = { nodeGapMs: NODE_GAP_MS, gapMs: Math.round(GAP_MS) };
    const engine = `redis-server, a cluster of ${NODES}`;
    record({ engine, rttMs: 0, tls: false, idleLimitS: LIMIT_S, ...gaps });
    return heldCases(clients);
  },
  label: ({ way, users }) => `${way}, ${users} processes`,
  run: async ({ gateways, keep, limitS, users, client }, { settings, random }, round) => {
    const redis = await startHeldCluster(gateways, limitS);
    const { seconds } = settings;
    const seed = settings.seed + round;
    const use = { targets: redis.targets, users, keep, gapMs: GAP_MS, seconds, seed };
    const counts: number[] = [];
    let steadyAt = Infinity;
    const sample = async () => {
      const open = await redis.connections();
      if (performance.now() > steadyAt) counts.push(open);
    };
    const runUsers = async () => {
      const running = client
        ? await startInstances(client, redis.endpoint, use, random)
        : await startUsers(use);
      // Until then more connections are open than later, of the start, or fewer. Redis closes one after up to two more seconds.
      steadyAt = performance.now() + Math.min((limitS + 2) * 1_000, (seconds * 1_000) / 2);
      await running.done.finally(() => running.stop());
    };
    try {
      await whileSampling(SAMPLE_MS, sample, runUsers);
    } finally {
      await redis.close();
    }
    return { open: counts.reduce((sum, each) => sum + each, 0) / counts.length };
  },
  report: (rows, { settings }) => {
    const of = (name: HeldWay, limitS = LIMIT_S) =>
      rows.find((row) => row.name === name && row.limitS === limitS && row.users === MANY * PROCESSES)!.open;
    const [comeAndGo, pods, shared, kept] = [of("comeAndGo"), of("pods"), of("shared"), of("kept")];
    const fewer = (name: HeldWay) => reduction(of(name), of(name, HALF_S));
    const openOf = (open: typeof pods) => withInterval(open.estimate(mean), count);
    return {
      headlines: rows.map(({ open, way, users }) =>
        headline(
          open.estimate(mean),
          (value) => value.toFixed(1),
          `connections at Redis, ${way}, ${users} processes`,
        ),
      ),
      checks: [
        atLeast(
          "gateways in the pods hold over one connection each more than processes that come and go",
          difference(pods, comeAndGo, mean),
          MANY,
          {
            article: claimOf("envoy", "established"),
            detail: `${openOf(pods)} of ${MANY} pods`,
            beside: `kept by the processes ${openOf(kept)}, through one gateway ${openOf(shared)}`,
            text: (value) => `${count(value)} more`,
          },
        ),
        atLeast("half the idle limit leaves at least 10% fewer of the gateways'", fewer("pods"), 0.1, {
          article: claimOf("envoy", "idleLimit"),
          beside: `kept by the processes ${withInterval(fewer("kept"), share)}`,
          text: share,
        }),
        atMost("one gateway for all pods holds at most two per node", shared.estimate(mean), 2 * NODES, {
          text: count,
        }),
      ],
      table: tableOf(rows, ({ users }) => String(users), [
        ["processes", ({ users }) => users],
        ["reach Redis", ({ way }) => way],
        ["gateways", ({ gateways }) => gateways],
        ["idle limit s", ({ limitS }) => limitS],
        ...meanColumns({ open: "open connections" }, 1),
      ]),
      charts: [
        barChart("Open connections at Redis, mean", "", rows, {
          group: ({ users }) => `${users} processes`,
          style: ({ way, hue }) => ({ label: way, hue }),
          value: ({ open }) => open.estimate(mean),
        }),
      ],
      notes: [
        `${FEW} and ${MANY} pods of ${PROCESSES} processes each. A process sends a GET after random pauses, for ${settings.seconds} s in each of ${settings.rounds} rounds, so that a pod sends one to each of ${NODES} nodes every ${NODE_GAP_MS / 1_000} s on average. Nodes close a connection that is idle for ${LIMIT_S} s, or ${HALF_S} s: the article's limits, 75 times shorter. How much the shorter limit saves depends on the pauses.`,
        "The article's processes connect to the nodes in every request, then to a proxy in their pod, which keeps its connections. Connections are counted by Redis. Processes are simulated by plain sockets in one process; an instance of a client, with --clients, is a process of its own, and over TCP it connects to one node.",
      ],
    };
  },
});

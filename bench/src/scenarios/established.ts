import { startCluster } from "warmline-testbed";
import type { SparseUsersEvent } from "../handlers/sparse-users.js";
import redisMemory from "../parts/redis-memory.js";
import { atLeast, atMost } from "../results/checks.js";
import { count, meanColumns, share, tabulate, withInterval } from "../results/present.js";
import { type Defer, readInfo, started } from "../rig/rig.js";
import { startInstances, USERS } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { startGatewayTo } from "../sockets/gateway.js";
import type { ReaderTarget } from "../sockets/key-reader.js";
import { difference, mean, reduction } from "../statistics/series.js";
import { allEnded, whileSampling } from "../util/promises.js";

/** Primaries of the cluster, and processes of a pod. */
const [NODES, PROCESSES] = [6, 4];
const [FEW, MANY] = [3, 10];
/** The idle limit of Redis in s, and half of it: 300 s and 150 s in the article. */
export const [LIMIT_S, HALF_S] = [4, 2];
/** The mean pause in ms between two requests of a pod to a node, and of a process. */
const NODE_GAP_MS = 4_000;
const GAP_MS = (NODE_GAP_MS * PROCESSES) / NODES;
const SAMPLE_MS = 200;

const WAYS = {
  comeAndGo: { way: "directly, new connections per request", gateways: "none", keep: false },
  pods: { way: "a gateway per pod, a connection per request", gateways: "each", keep: false },
  shared: { way: "one gateway, a connection per request", gateways: "one", keep: false },
  kept: { way: "directly, kept connections", gateways: "none", keep: true },
} as const;
type HeldWay = keyof typeof WAYS;

function caseOf(name: HeldWay, pods: number, limitS = LIMIT_S) {
  const { way, gateways, ...each } = WAYS[name];
  const number = { none: 0, one: 1, each: pods }[gateways];
  const title = limitS === HALF_S ? `${way}, half the idle limit` : way;
  return { name, ...each, way: title, gateways: number, limitS, users: pods * PROCESSES };
}

export const CASES = [
  ...[FEW, MANY].flatMap((pods) =>
    (["comeAndGo", "pods", "shared"] as const).map((name) => caseOf(name, pods)),
  ),
  caseOf("kept", MANY),
  ...(["pods", "kept"] as const).map((name) => caseOf(name, MANY, HALF_S)),
];

/** Starts a cluster whose nodes close a connection that is idle for `limitS`, and gateways in front of it, if any, for the users. */
async function startHeldCluster(gateways: number, limitS: number, defer: Defer) {
  const cluster = await started(startCluster({ primaries: NODES, replicas: 0 }), defer);
  const starting = Array.from({ length: gateways }, () => startGatewayTo(cluster, undefined, defer));
  const targets: ReaderTarget[] = (await allEnded(starting)).map(({ target }) => target);
  // Not before: the start of gateways may take as long as the limit, and the connections that count are idle meanwhile.
  for (const { command } of cluster.nodes) await command("CONFIG", "SET", "timeout", limitS);
  /** Returns the number of connections at all nodes, without those that ask for it. */
  const connections = async () => {
    const counts = cluster.nodes.map((node) => readInfo(node, "clients", "connected_clients"));
    return (await Promise.all(counts)).reduce((sum, each) => sum + each - 1, 0);
  };
  return { targets: gateways > 0 ? targets : [{ seedPort: cluster.nodes[0]!.port }], connections };
}

export default defineScenario({
  name: "established",
  title: "Open connections at Redis",
  question: "How many connections does a cluster hold, by the number of pods and by its idle limit?",
  // Processes are plain sockets, so that no library decides what is kept.
  clients: "none",
  fixed: ["rtt", "tls"],
  lanes: 4,
  parts: [redisMemory],
  defaults: { rounds: [1, 1], seconds: [10, 5] },
  missing: redisMissing,
  cases: ({ record }) => {
    const gaps = { nodeGapMs: NODE_GAP_MS, gapMs: Math.round(GAP_MS) };
    const engine = `redis-server, a cluster of ${NODES}`;
    record({ engine, rttMs: 0, tls: false, idleLimitS: LIMIT_S, ...gaps });
    return CASES;
  },
  label: ({ way, users }) => `${way}, ${users} processes`,
  run: async ({ gateways, keep, limitS, users }, { settings, defer }, round) => {
    const { targets, connections } = await startHeldCluster(gateways, limitS, defer);
    const { seconds } = settings;
    const seed = settings.seed + round;
    const event: SparseUsersEvent = { targets, users, keep, gapMs: GAP_MS, seconds, seed };
    const counts: number[] = [];
    let steadyAt = Infinity;
    const sample = async () => {
      const open = await connections();
      if (performance.now() > steadyAt) counts.push(open);
    };
    await whileSampling(SAMPLE_MS, sample, async () => {
      const running = await startInstances("users", USERS, { count: 1, event, timeoutMs: 120_000 }, defer);
      // Before that, connections of the start are still open, or users have not connected yet. Redis closes an idle one up to 2 s late.
      steadyAt = performance.now() + Math.min((limitS + 2) * 1_000, (seconds * 1_000) / 2);
      await running.done;
    });
    return { open: mean(counts) };
  },
  report: (rows, { settings }) => {
    const of = (name: HeldWay, limitS = LIMIT_S) =>
      rows.find((row) => row.name === name && row.limitS === limitS && row.users === MANY * PROCESSES)!.open;
    const [comeAndGo, pods, shared, kept] = [of("comeAndGo"), of("pods"), of("shared"), of("kept")];
    const fewer = (name: HeldWay) => reduction(of(name), of(name, HALF_S));
    const openOf = (open: typeof pods) => withInterval(open.estimate(mean), count);
    return {
      checks: [
        atLeast(
          "gateways in the pods hold over one connection each more than processes that come and go",
          difference(pods, comeAndGo, mean),
          MANY,
          {
            article: "envoy.established",
            detail: `${openOf(pods)} of ${MANY} pods`,
            beside: `kept by the processes ${openOf(kept)}, through one gateway ${openOf(shared)}`,
            text: (value) => `${count(value)} more`,
          },
        ),
        atLeast("half the idle limit leaves at least 10% fewer of the gateways'", fewer("pods"), 0.1, {
          article: "envoy.idleLimit",
          beside: `kept by the processes ${withInterval(fewer("kept"), share)}`,
          text: share,
        }),
        atMost("one gateway for all pods holds at most two per node", shared.estimate(mean), 2 * NODES, {
          text: count,
        }),
      ],
      ...tabulate(rows, { group: ({ users }) => `${users} processes`, charts: ["open connections"] }, [
        ["processes", ({ users }) => users],
        ["reach Redis", ({ way }) => way],
        ["gateways", ({ gateways }) => gateways],
        ["idle limit s", ({ limitS }) => limitS],
        ...meanColumns({ open: "open connections" }, 1),
      ]),
      notes: [
        `${FEW} and ${MANY} pods of ${PROCESSES} processes each. A process sends a GET after random pauses, for ${settings.seconds} s in each of ${settings.rounds} rounds, so that a pod sends one to each of ${NODES} nodes every ${NODE_GAP_MS / 1_000} s on average. Nodes close a connection that is idle for ${LIMIT_S} s, or ${HALF_S} s: the article's limits, 75 times shorter. How much the shorter limit saves depends on the pauses.`,
        "The article's processes connect to the nodes in every request, then to a proxy in their pod, which keeps its connections. Connections are counted by Redis. Processes are simulated by plain sockets in one process.",
      ],
    };
  },
});

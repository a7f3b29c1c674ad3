import { startCluster, startGatewayProcess, startNetworkProxy, until } from "warmline-testbed";
import { type BenchClient, clientFunction, KEPT } from "../client/bench-client.js";
import type { Arm, RequestPartsEvent } from "../handlers/request-parts.js";
import { atLeast } from "../results/checks.js";
import { count, latencyColumns, ms, share, tabulate } from "../results/present.js";
import { type Defer, started } from "../rig/rig.js";
import { runInstance } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { combine, difference, mean, ratio } from "../statistics/series.js";

const WARM_UP = 10;
/** What is added to a node's port for the port of its bus. */
const BUS = 10_000;
/** The pause in ms before each of the sparse requests. */
const SPARSE_MS = 150;
const [FEW, MANY] = [1, 10];

const NAMES: Readonly<Record<Arm, string>> = {
  new: "direct, new connections and topology",
  topology: "direct, kept connections, new topology",
  kept: "direct, kept connections and topology",
  gatewayNew: "gateway, a new connection",
  gatewayKept: "gateway, a kept connection",
};

/** Requests by plain sockets or, to the gateway, by a client. */
type Requests = Readonly<{ arm: Arm; name: string; client?: BenchClient }>;

const commandsOf = ({ commands }: { readonly commands: number }) =>
  `${commands} GET${commands === 1 ? "" : "s"}`;

/** Starts a cluster whose nodes are a round trip away: each announces a proxy in front of it. Returns the port of the first proxy. */
async function startDistantCluster(rttMs: number, defer: Defer): Promise<number> {
  const cluster = await started(startCluster(), defer);
  const ports: number[] = [];
  for (const { port, command } of cluster.nodes) {
    const proxy = await started(startNetworkProxy({ to: { port }, rttMs, protocol: "raw" }), defer);
    await command("CONFIG", "SET", "cluster-announce-bus-port", port + BUS);
    await command("CONFIG", "SET", "cluster-announce-port", proxy.port);
    ports.push(proxy.port);
  }
  const announced = async () => {
    const nodes = String(await cluster.nodes[0]!.command("CLUSTER", "NODES"));
    return ports.every((port) => nodes.includes(`:${port}@`));
  };
  const limit = { timeoutMs: 30_000, pauseMs: 50 };
  await until(announced, "The nodes did not announce their proxies within 30 s.", limit);
  await cluster.whenReady();
  return ports[0]!;
}

export default defineScenario({
  name: "request-parts",
  title: "The parts of a web request",
  question: "How much of a web request goes into connecting to a cluster and fetching its topology?",
  clients: "candidates",
  protocol: "http",
  fixed: ["tls"],
  defaults: { rounds: [1, 1], invocations: [30, 6] },
  missing: redisMissing,
  cases: async ({ clients, settings, defer, record }) => {
    const seedPort = await startDistantCluster(settings.rttMs, defer);
    const args = ["--redis", `redis://127.0.0.1:${seedPort}`];
    const gateway = await started(startGatewayProcess({ args }), defer);
    record({ engine: "redis-server, a cluster of six", tls: false, sparseMs: SPARSE_MS });
    const { url, port, token } = gateway;
    const target = { seedPort, gateway: { url, port, token } };
    const arms = (Object.entries(NAMES) as [Arm, string][]).map(([arm, name]): Requests => ({ arm, name }));
    const ofClients = clients.map((client): Requests => {
      return { arm: "gatewayKept", name: `gateway, ${client.label}`, client };
    });
    const sparse = arms.filter(({ arm }) => arm === "kept" || arm === "gatewayKept");
    return [
      ...[...arms, ...ofClients].flatMap((each) =>
        [FEW, MANY].map((commands) => ({ ...each, commands, pauseMs: 0, target })),
      ),
      ...sparse.map((each) => {
        return { ...each, name: `${each.name}, sparse requests`, commands: FEW, pauseMs: SPARSE_MS, target };
      }),
    ];
  },
  label: ({ name, ...each }) => `${name}, ${commandsOf(each)}`,
  group: commandsOf,
  run: async ({ name, client, target, arm, commands, pauseMs }, { settings }, round) => {
    const { invocations: requests, seed } = settings;
    const shape = { arm, requests, warmUp: WARM_UP, commands, pauseMs };
    const event: RequestPartsEvent = { ...shape, seed: seed + round, ...target };
    const spec = clientFunction("request-parts", client, KEPT, { endpoint: target.gateway, trust: {} });
    const { bodies } = await runInstance(name, spec, { events: [event], timeoutMs: 120_000 });
    return { latencies: bodies[0] as number[] };
  },
  report: (rows, { settings }) => {
    const of = (arm: Arm, commands: number, pauseMs = 0) =>
      rows.find(
        (row) => !row.client && row.arm === arm && row.commands === commands && row.pauseMs === pauseMs,
      )!.latencies;
    const [fetched, known, proxied] = [of("topology", FEW), of("kept", FEW), of("gatewayKept", FEW)];
    const connecting = [of("new", MANY), of("topology", MANY)] as const;
    const connectingToGateway = [of("gatewayNew", MANY), of("gatewayKept", MANY)] as const;
    const sparse = [of("gatewayKept", FEW, SPARSE_MS), of("kept", FEW, SPARSE_MS)];
    return {
      checks: [
        atLeast(
          "fetching the topology adds at least half to the time of one command",
          combine([fetched, known], (both, one) => both / one - 1, mean),
          0.5,
          {
            article: "envoy.topology",
            detail: ms(difference(fetched, known, mean).value),
            text: share,
          },
        ),
        atLeast(
          "a proxy next to the process saves over 90% of the time for connecting",
          combine(
            [...connecting, ...connectingToGateway],
            (fresh, kept, gatewayNew, gatewayKept) => 1 - (gatewayNew - gatewayKept) / (fresh - kept),
            mean,
          ),
          0.9,
          {
            article: "envoy.connect",
            detail: `${ms(difference(...connecting, mean).value)} and ${ms(difference(...connectingToGateway, mean).value)}`,
            text: share,
          },
        ),
        atLeast(
          "a read takes longer through the proxy than over kept direct connections",
          ratio(proxied, known, mean),
          1,
          { article: "envoy.slower" },
        ),
        atLeast(
          "sparse reads lose more through the proxy than frequent ones",
          combine(
            [...sparse, proxied, known],
            (gateway, direct, gatewayDense, directDense) => gateway - direct - (gatewayDense - directDense),
            mean,
          ),
          0,
          { article: "envoy.sparse", text: ms },
        ),
      ],
      ...tabulate(rows, { group: commandsOf, charts: ["mean ms"] }, [
        ["request", commandsOf],
        ["connection", ({ name }) => name],
        ...latencyColumns("latencies"),
      ]),
      notes: [
        `${count(settings.invocations)} requests one after another in each of ${settings.rounds} rounds, after ${WARM_UP} that do not count. The cluster is ${settings.rttMs} ms away; the gateway runs next to the process, as the proxy of Houzz's article does. Parts are differences of means: new connections less kept ones, a fetched topology less a kept one.`,
        "The topology is fetched with CLUSTER SLOTS, as by the client of that article. An idle connection of the gateway to Redis stays open, unlike those of its proxy.",
      ],
    };
  },
});

import { startGatewayProcess } from "warmline-testbed";
import { built } from "../client/bench-client.js";
import { count, headline, ms, share } from "../results/format.js";
import { barChart, latencyColumns, tableOf } from "../results/present.js";
import { runInstance } from "../rig/run-instance.js";
import { defineScenario, redisMissing } from "../scenario.js";
import { startDistantCluster } from "../sockets/distant-cluster.js";
import { type PartsTarget, partsCases, SPARSE_MS } from "../sockets/parts.js";
import { partsOf } from "../sockets/parts-checks.js";
import { mean } from "../statistics/series.js";

/** Requests that do not count. */
const WARM_UP = 10;
const commandsOf = ({ commands }: { readonly commands: number }) =>
  `${commands} GET${commands === 1 ? "" : "s"}`;
/** Takes a web request's time to a cluster apart: connecting, fetching the topology, and the commands. */
export default defineScenario({
  name: "request-parts",
  title: "The parts of a web request",
  question:
    "How much of a web request's time goes into connecting to a cluster and into fetching its topology?",
  clients: "candidates",
  protocol: "http",
  fixed: ["tls", "engine"],
  order: 8.2,
  defaults: { rounds: [1, 1], invocations: [30, 6] },
  missing: redisMissing,
  cases: async ({ clients, settings, defer, record }) => {
    const { port } = await startDistantCluster(settings.rttMs, defer);
    const gateway = await startGatewayProcess({ args: ["--redis", `redis://127.0.0.1:${port}`] });
    defer(() => gateway.stop());
    record({ engine: "redis-server, a cluster of six", tls: false, sparseMs: SPARSE_MS });
    const { url, token } = gateway;
    const target: PartsTarget = { seedPort: port, gateway: { url, port: gateway.port, token } };
    return partsCases(clients).map((each) => ({ ...each, target }));
  },
  label: ({ name, ...each }) => `${name}, ${commandsOf(each)}`,
  group: commandsOf,
  run: async ({ name, client, target, arm, commands, pauseMs }, { settings }, round) => {
    const { invocations: requests, seed } = settings;
    const event = { arm, requests, warmUp: WARM_UP, commands, pauseMs, seed: seed + round, ...target };
    const env: Record<string, string> = client ? { BENCH_CLIENT: built(`clients/${client.name}.js`) } : {};
    const what = { handler: "request-parts", env };
    const { bodies } = await runInstance(name, what, { events: [event], timeoutMs: 120_000 });
    return { latencies: bodies[0] as number[] };
  },
  report: (rows, { settings }) => {
    const { topology, connecting, connectingToGateway, checks } = partsOf(rows);
    return {
      headlines: [
        headline(topology, share, "more time for one GET, since the topology is fetched first"),
        headline(connecting, ms, "to connect to the cluster, 10 GETs"),
        headline(connectingToGateway, ms, "to connect to the gateway"),
      ],
      checks,
      table: tableOf(rows, commandsOf, [
        ["request", commandsOf],
        ["connection", ({ name }) => name],
        ...latencyColumns("latencies"),
      ]),
      charts: [
        barChart("Mean time of a request", "ms", rows, {
          group: commandsOf,
          style: ({ name }) => ({ label: name, hue: name.startsWith("gateway") ? 0 : 1 }),
          value: ({ latencies }) => latencies.estimate(mean),
        }),
      ],
      notes: [
        `${count(settings.invocations)} requests one after another in each of ${settings.rounds} rounds, after ${WARM_UP} that do not count. The cluster is ${settings.rttMs} ms away; the gateway runs next to the process, as the article's proxy does. Parts are differences of means: new connections less kept ones, a fetched topology less a kept one.`,
        "The topology is fetched with CLUSTER SLOTS, as by the article's client. An idle connection of the gateway to Redis stays open, unlike the article's.",
      ],
    };
  },
});

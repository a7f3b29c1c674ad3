import { clientFunction } from "../client/bench-client.js";
import type { FluidEvent, FluidReport } from "../handlers/fluid.js";
import { exactly } from "../results/checks.js";
import { chartsOf, latencyColumns, meanColumns, tableOf } from "../results/present.js";
import { runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";
import { mean } from "../statistics/series.js";

/** Requests that an instance serves at a time. */
const REQUESTS = [1, 10, 50];
const OVER_MS = 5;
const COMMANDS = 3;
/** Connections that they need at most: warmline sends a few requests at a time, and their commands together. */
const MAX_CONNECTIONS = 8;
/** Invocations that do not count. */
const WARM_UP = 5;

const requestsOf = ({ requests }: { readonly requests: number }) =>
  `${requests} request${requests === 1 ? "" : "s"} at a time`;

/** Serves several requests at once in one instance, with clients as they ship. */
export default defineScenario({
  name: "fluid",
  title: "Many requests in one instance",
  question: "How long does a request take if one instance serves many at once, as Vercel's Fluid does?",
  clients: "candidates",
  order: 6.8,
  plannedS: 26,
  defaults: { rounds: [1, 1], invocations: [25, 5] },
  cases: async ({ rig, clients }) => {
    const own = await rig({ greeting: true });
    return REQUESTS.flatMap((requests) => clients.map((client) => ({ client, requests, rig: own })));
  },
  label: ({ client, ...each }) => `${client.label}, ${requestsOf(each)}`,
  group: requestsOf,
  run: async ({ client, requests, rig }, { settings }) => {
    const what = clientFunction("fluid", client, { keepAlive: true, reused: true }, rig.endpoint);
    const before = rig.connectionsOpened(client);
    const event: FluidEvent = { requests, overMs: OVER_MS, commands: COMMANDS };
    const options = { events: [event], invocations: settings.invocations + WARM_UP, trust: rig.trust };
    const { bodies } = await runInstance(client.label, what, options);
    const counted = (bodies as FluidReport[]).slice(WARM_UP);
    const cpuMs = counted.reduce((sum, body) => sum + body.cpuMs, 0);
    return {
      latencies: counted.flatMap(({ latencies }) => latencies),
      cpuUs: (cpuMs * 1_000) / (counted.length * requests * COMMANDS),
      opened: rig.connectionsOpened(client) - before,
    };
  },
  report: (rows, { settings }) => {
    const [most] = REQUESTS.slice(-1);
    const full = rows.filter(({ requests }) => requests === most);
    return {
      checks: full
        .filter(({ client }) => client.name === "warmline")
        .map(({ opened, client }) =>
          exactly(
            `${client.label}, ${most} requests at a time: at most ${MAX_CONNECTIONS} connections`,
            opened.max <= MAX_CONNECTIONS,
            `at most ${opened.max}`,
          ),
        ),
      table: tableOf(rows, requestsOf, [
        ["requests", requestsOf],
        ["client", ({ client }) => client.label],
        ...latencyColumns("latencies"),
        ...meanColumns({ cpuUs: "CPU us per command" }),
        ...meanColumns({ opened: "connections" }, 1),
      ]),
      charts: chartsOf(rows, {
        group: requestsOf,
        bars: [
          ["Median of a request", "ms", ({ latencies }) => latencies.estimate()],
          ["CPU time per command", "us", ({ cpuUs }) => cpuUs.estimate(mean)],
        ],
        curves: [["A request's time by percentile", ({ latencies }) => latencies]],
        summary: ["Median of a request"],
      }),
      notes: [
        `One process serves all requests with one client, created outside the handler, as it ships. Requests arrive evenly within ${OVER_MS} ms and run ${COMMANDS} GETs one after another. Times count from the moment at which a request is due.`,
        `${settings.invocations} times in each of ${settings.rounds} instances, after ${WARM_UP} that do not count. CPU time is that of the whole function.`,
      ],
    };
  },
});

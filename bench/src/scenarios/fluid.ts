import { clientFunction, KEPT } from "../client/bench-client.js";
import type { FluidEvent, handler } from "../handlers/fluid.js";
import { exactly } from "../results/checks.js";
import { latencyColumns, meanColumns, tabulate } from "../results/present.js";
import { type Body, runInstance } from "../rig/run-instance.js";
import { defineScenario } from "../scenario.js";

/** Requests that an instance serves at a time, and the worker threads that share them. */
const MOST = 50;
const LOADS: readonly { readonly requests: number; readonly threads?: number }[] = [
  { requests: 1 },
  { requests: 10 },
  { requests: MOST },
  { requests: MOST, threads: 2 },
];
const OVER_MS = 5;
const COMMANDS = 3;
/** The most connections that may be opened for them: warmline sends a few requests at a time, and their commands together. */
const MAX_CONNECTIONS = 8;
const WARM_UP = 5;

const requestsOf = ({ requests, threads }: (typeof LOADS)[number]) =>
  `${requests} request${requests === 1 ? "" : "s"} at a time${threads === undefined ? "" : ` on ${threads} threads`}`;

export default defineScenario({
  name: "fluid",
  title: "Many requests in one instance",
  question: "How long does a request take if one instance serves many at once, as Vercel's Fluid does?",
  clients: "candidates",
  defaults: { rounds: [1, 1], invocations: [25, 5] },
  cases: async ({ rig, clients }) => {
    const own = await rig({ greeting: true });
    return LOADS.flatMap((load) => clients.map((client) => ({ client, ...load, rig: own })));
  },
  label: ({ client, ...each }) => `${client.label}, ${requestsOf(each)}`,
  group: requestsOf,
  run: async ({ client, requests, threads, rig }, { settings }) => {
    const spec = clientFunction("fluid", client, KEPT, rig);
    const before = rig.proxyOf(client).connectionsOpened;
    const event: FluidEvent = { requests, overMs: OVER_MS, commands: COMMANDS, threads };
    const options = { events: [event], invocations: settings.invocations + WARM_UP };
    const { bodies } = await runInstance(client.label, spec, options);
    const counted = (bodies as Body<typeof handler>[]).slice(WARM_UP);
    const cpuMs = counted.reduce((sum, body) => sum + body.cpuMs, 0);
    return {
      latencies: counted.flatMap(({ latencies }) => latencies),
      cpuUs: (cpuMs * 1_000) / (counted.length * requests * COMMANDS),
      opened: rig.proxyOf(client).connectionsOpened - before,
    };
  },
  report: (rows, { settings }) => ({
    checks: rows
      .filter((row) => row.client.name === "warmline" && row.requests === MOST && !row.threads)
      .map(({ opened, client }) =>
        exactly(
          `${client.label}, ${MOST} requests at a time: at most ${MAX_CONNECTIONS} connections`,
          opened.max <= MAX_CONNECTIONS,
          `at most ${opened.max}`,
        ),
      ),
    ...tabulate(rows, { group: requestsOf, charts: ["p50 ms", "CPU us per command"] }, [
      ["requests", requestsOf],
      ["client", ({ client }) => client.label],
      ...latencyColumns("latencies"),
      ...meanColumns({ cpuUs: "CPU us per command" }),
      ...meanColumns({ opened: "connections" }, 1),
    ]),
    notes: [
      `One process serves all requests with one client, created outside the handler, as it ships; on threads each worker thread has a client and a share of the requests, as in a platform's instances with several threads. Requests arrive evenly within ${OVER_MS} ms and run ${COMMANDS} GETs one after another. Times count from the moment at which a request is due.`,
      `${settings.invocations} times in each of ${settings.rounds} instances, after ${WARM_UP} that do not count. CPU time is that of the whole function.`,
    ],
  }),
});

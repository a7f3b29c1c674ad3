import { bundleSize, type ColdWay, coldStart } from "../perf/cold.js";
import { FIXED_SERVER_NOTES, startFixedServer } from "../perf/processes.js";
import { chartsOf, medianColumns, tableOf } from "../results/present.js";
import { defineScenario } from "../scenario.js";

const WAYS: readonly ColdWay[] = [
  { name: "no init phase", phase: "at once", gapMs: 0 },
  { name: "init, as shipped", phase: "init", gapMs: 0 },
  { name: "init, as shipped, event 50 ms later", phase: "init", gapMs: 50 },
  { name: "init with an awaited PING", phase: "ping", gapMs: 0 },
];
const ROUND_TRIPS = [0, 10];
const ALL_TOGETHER = "Import, init phase and first command";

export default defineScenario({
  name: "cold",
  title: "Cold starts",
  question: "How long do import, init phase and the first command of a new instance take together?",
  clients: "all",
  distances: true,
  fixed: ["tls"],
  ownServer: true,
  plannedS: 45,
  defaults: { rounds: [1, 1] },
  cases: async (context) => {
    const { clients, settings } = context;
    const placeAt = await startFixedServer(context);
    const rtts = settings.rtts ?? ROUND_TRIPS;
    const places = await Promise.all(rtts.map((rttMs) => placeAt(true, rttMs)));
    const sizes = clients.map(({ name, label }) => {
      const { minified, gzipped } = bundleSize(name);
      return [label, [minified, gzipped]] as const;
    });
    context.record({ tls: true, rttMs: rtts.join(", "), sizes: Object.fromEntries(sizes) });
    const cases = rtts.flatMap((rttMs, at) =>
      WAYS.flatMap((way) =>
        clients.map((client) => {
          const start = () => coldStart(client, way, places[at]!);
          return { client, node: process.version, rttMs, way: way.name, start };
        }),
      ),
    );
    // The first process of a client brings its files into the system's cache.
    for (const client of clients) await cases.find((each) => each.client === client)!.start();
    return cases;
  },
  label: ({ client, node, way }) => `Node ${node.slice(1)}, ${client.label}, ${way}`,
  group: caseOf,
  run: ({ start }) => start(),
  report: (rows, { settings }) => {
    const nearest = rows.filter((row) => row.rttMs === rows[0]!.rttMs);
    return {
      checks: [],
      table: tableOf(rows, caseOf, [
        ["case", caseOf],
        ["client", ({ client }) => client.label],
        ...medianColumns({ importMs: "import ms", init: "init ms", first: "first ms" }, 1),
        ...medianColumns({ totalMs: "init and first ms" }, 1),
        ...medianColumns({ warmMs: "warm ms" }),
        ...medianColumns({ cpuMs: "CPU ms" }, 1),
      ]),
      charts: chartsOf(nearest, {
        group: ({ way }) => way,
        bars: [[ALL_TOGETHER, "ms", ({ totalMs }) => totalMs.estimate()]],
        summary: [ALL_TOGETHER],
      }),
      notes: [
        `Every client starts ${settings.rounds} fresh processes per case. Numbers are medians. Each client is one minified file, as functions are deployed. Times begin with the import of that file: the start of the process is not included.`,
        "The init phase imports and creates the client; as shipped nothing is awaited, and Lambda's environment variable is set. Without a gap the event arrives as soon as the init phase ends, as in an on-demand start. With an awaited PING the init phase ends with its reply, the best setting known for a fast first command.",
        "The sizes of these files, minified, and gzipped too, are among the settings.",
        ...FIXED_SERVER_NOTES,
      ],
    };
  },
});

function caseOf({ node, way, rttMs }: { node: string; way: string; rttMs: number }): string {
  return `Node ${node.slice(1)}, ${way}, ${rttMs} ms`;
}

import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { type BenchClient, built, type Place } from "../client/bench-client.js";
import { commandFor, cores, FIXED_SERVER_NOTES, startFixedServer } from "../perf/processes.js";
import { medianColumns, tabulate } from "../results/present.js";
import { defineScenario } from "../scenario.js";

/**
 * What comes before the first command: the import alone, an init phase that creates the client, or one that also waits for a PING; and
 * the time in ms between the init phase and the event.
 */
const WAYS = [
  { name: "no init phase", phase: "at once", gapMs: 0 },
  { name: "init, as shipped", phase: "init", gapMs: 0 },
  { name: "init, as shipped, event 50 ms later", phase: "init", gapMs: 50 },
  { name: "init with an awaited PING", phase: "ping", gapMs: 0 },
] as const;
type Way = (typeof WAYS)[number];
const ROUND_TRIPS = [0, 10];

const caseOf = ({ way, rttMs }: { way: string; rttMs: number }) =>
  `Node ${process.version.slice(1)}, ${way}, ${rttMs} ms`;
const bundleOf = (client: string): string => built(`perf/bundles/${client}.js`);

type ColdStart = Readonly<Record<"importMs" | "cpuMs" | "totalMs" | "init" | "first" | "warmMs", number>>;

/**
 * Starts a fresh process with one client, as a single minified file.
 * @returns times in ms: of the import, of the processor, and of all without the gap; of the init phase, the first command and the median
 * of later ones, all three NaN without an init phase
 */
async function coldStart(client: BenchClient, way: Way, { endpoint, trust }: Place): Promise<ColdStart> {
  const args = [bundleOf(client.name), JSON.stringify(endpoint), way.phase, String(way.gapMs)];
  const [program, ...rest] = commandFor(cores()[0], "perf/cold-start.js", ...args);
  // With Lambda's variable set a client that connects in the init phase does so here.
  const lambda = way.phase === "at once" ? {} : { AWS_LAMBDA_FUNCTION_NAME: "bench" };
  const env = { ...process.env, ...trust, ...lambda };
  const { stdout } = await promisify(execFile)(program!, rest, { env, timeout: 20_000 });
  return { init: Number.NaN, first: Number.NaN, warmMs: Number.NaN, ...JSON.parse(stdout) };
}

export default defineScenario({
  name: "cold",
  title: "Cold starts",
  question: "How long do import, init phase and the first command of a new instance take together?",
  clients: "all",
  distances: true,
  fixed: ["tls"],
  defaults: { rounds: [1, 1] },
  cases: async (context) => {
    const { clients, settings } = context;
    const placeAt = await startFixedServer(context);
    const rtts = settings.rtts ?? ROUND_TRIPS;
    const places = await Promise.all(rtts.map((rttMs) => placeAt(true, rttMs)));
    // Bytes of each bundle, minified, and also gzipped. A bundle is the client with the lines that use it here.
    const sizes = clients.map(({ name, label }) => {
      const bundle = readFileSync(bundleOf(name));
      return [label, [bundle.length, gzipSync(bundle, { level: 9 }).length]] as const;
    });
    context.record({ tls: true, rttMs: rtts.join(", "), sizes: Object.fromEntries(sizes) });
    const cases = rtts.flatMap((rttMs, at) =>
      WAYS.flatMap((way) =>
        clients.map((client) => {
          return { client, rttMs, way: way.name, start: () => coldStart(client, way, places[at]!) };
        }),
      ),
    );
    // The first process of a client brings its files into the system's cache.
    for (const client of clients) await cases.find((each) => each.client === client)!.start();
    return cases;
  },
  label: ({ client, way }) => `${client.label}, ${way}`,
  group: caseOf,
  run: ({ start }) => start(),
  report: (rows, { settings }) => ({
    checks: [],
    ...tabulate(rows, { group: caseOf, charts: ["init and first ms"] }, [
      ["case", caseOf],
      ["client", ({ client }) => client.label],
      ...medianColumns({ importMs: "import ms", init: "init ms", first: "first ms" }, 1),
      ...medianColumns({ totalMs: "init and first ms" }, 1),
      ...medianColumns({ warmMs: "warm ms" }),
      ...medianColumns({ cpuMs: "CPU ms" }, 1),
    ]),
    notes: [
      `Every client starts ${settings.rounds} fresh processes per case. Numbers are medians. Each client is one minified file, as functions are deployed. Times begin with the import of that file: the start of the process is not included.`,
      "The init phase imports and creates the client; as shipped nothing is awaited, and Lambda's environment variable is set. Without a gap the event arrives as soon as the init phase ends, as in an on-demand start. With an awaited PING the init phase ends with its reply, the best setting known for a fast first command.",
      "The sizes of these files, minified, and gzipped too, are among the settings.",
      ...FIXED_SERVER_NOTES,
    ],
  }),
});

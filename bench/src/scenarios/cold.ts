import { factor, ms } from "../format.js";
import {
  type ByClient,
  COLD_CLIENTS,
  coldStarts,
  type PreparedStart,
  preparedStarts,
  type Start,
} from "../perf/cold/measure.js";
import { type ColdRow, coldRows, type Way } from "../perf/cold/rows.js";
import { bundleSize } from "../perf/cold/sizes.js";
import { labelOf, NOTES, styleOf, versionsMeasured } from "../perf/labels.js";
import { chosenNodes, missingNote } from "../perf/nodes.js";
import { placements, startFixedServer } from "../perf/processes.js";
import { barChart, tableOf } from "../present.js";
import { randomFrom } from "../random.js";
import type { Outcome } from "../result.js";
import type { Scenario, Settings } from "../scenario.js";

/** Measures import and first command in fresh processes: with and without TLS, at once and after an init phase. */
const cold: Scenario = {
  name: "cold",
  title: "Cold starts",
  question:
    "How long does the first command of a new instance take, and how much of that can move to the init phase?",
  clients: [],
  order: 10,
  run: measure,
};

export default cold;

async function measure(settings: Settings): Promise<Outcome> {
  const rounds = settings.rounds ?? (settings.quick ? 1 : 15);
  const nodes = chosenNodes(settings.node);
  const placement = placements()[0]!;
  const server = await startFixedServer(placement);
  const { endpoint: distant, proxy } = await server.distant(10);
  const random = randomFrom(settings.seed);
  const rows: ColdRow[] = [];
  let done = 0;
  try {
    for (const node of nodes) {
      const run = async (
        way: Way,
        how: (options: Parameters<typeof coldStarts>[0]) => Promise<ByClient<Start | PreparedStart>>,
        endpoint = server.endpoint({ tls: true }),
      ) => {
        const onRound = () =>
          settings.progress.step(
            done++,
            nodes.length * 4 * (rounds + 1),
            `Node ${node.version.slice(1)}, ${way}`,
          );
        const options = { node, placement, endpoint, trust: server.trust, rounds, random, onRound };
        rows.push(...coldRows(node, way, await how(options)));
      };
      await run("TLS", coldStarts);
      await run("plain", coldStarts, server.endpoint());
      await run("TLS, after init", preparedStarts);
      await run("TLS, after init, 10 ms away", preparedStarts, distant);
    }
  } finally {
    await proxy.close();
    server.stop();
  }
  const sizes = COLD_CLIENTS.map((client) => ({ client, ...bundleSize(client) }));
  return {
    ...buildReport(rows),
    notes: [
      `Every client starts ${rounds} fresh processes per mode, after one round that does not count. Numbers are medians. Each client is one minified file, as functions are deployed. Times begin with the import of that file: the start of the process is not included.`,
      "After init: the init phase imports the client, creates it and, if the client has it, runs `await redis.ready()`. The first command is sent 20 ms later, then 25 more.",
      `Sizes, minified and gzipped: ${sizes.map(({ client, minified, gzipped }) => `${labelOf(client)} ${minified} and ${gzipped} bytes`).join("; ")}.`,
      `Client and server run on ${placement === "own cores" ? "separate cores" : "any core"}.`,
      ...NOTES,
      ...missingNote(nodes, settings.node),
    ],
    settings: {
      rttMs: 0,
      tls: true,
      engine: "fixed replies",
      rounds,
      placement,
      quick: settings.quick,
      nodes: nodes.map(({ version }) => version),
    },
    versions: versionsMeasured(),
    data: { rows, sizes },
  };
}

/** Builds the report of the rows. */
export function buildReport(
  rows: readonly ColdRow[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const { node } = rows[0]!;
  const pick = (client: string, way: Way) =>
    rows.find((row) => row.node === node && row.client === client && row.way === way)!;
  const [own, upstash, floor] = ["warmline", "upstash", "raw"].map((client) => pick(client, "TLS"));
  const [ready, unready] = ["warmline", "upstash"].map((client) => pick(client, "TLS, after init"));
  const text = (of: (row: ColdRow) => ColdRow["importMs"] | undefined) => (row: ColdRow) =>
    of(row)?.median.toFixed(2) ?? "";
  return {
    summary:
      `On Node ${node.slice(1)} with TLS, import and first command take ${ms(own!.beforeMs.median)} with warmline, ` +
      `${ms(upstash!.beforeMs.median)} with @upstash/redis (${factor(upstash!.beforeMs.median / own!.beforeMs.median)} as long) and ` +
      `${ms(floor!.beforeMs.median)} with a raw socket; their CPU time is ${ms(own!.cpuMs.median)}, ${ms(upstash!.cpuMs.median)} ` +
      `and ${ms(floor!.cpuMs.median)}. If the init phase opens the connection, warmline's first command in the ` +
      `handler takes ${ms(ready!.firstMs!.median)}. @upstash/redis cannot connect ahead: its first command takes ${ms(unready!.firstMs!.median)}.`,
    headlines: [
      { value: ms(own!.beforeMs.median), label: "import and first command, TLS" },
      { value: ms(upstash!.beforeMs.median), label: "import and first command with @upstash/redis, TLS" },
      { value: ms(ready!.firstMs!.median), label: "first command after init" },
    ],
    checks: [],
    table: tableOf(rows, (row) => row.node + row.way, [
      ["Node", (row) => row.node.slice(1)],
      ["mode", (row) => row.way],
      ["client", (row) => labelOf(row.client)],
      ["import ms", text((row) => row.importMs), "number"],
      ["total or init ms", text((row) => row.beforeMs), "number"],
      ["first ms", text((row) => row.firstMs), "number"],
      ["warm ms", text((row) => row.warmMs), "number"],
      ["CPU ms", text((row) => row.cpuMs), "number"],
    ]),
    charts: [
      barChart(
        rows.filter(({ way }) => way === "TLS"),
        {
          title: "Import and first command, TLS",
          unit: "ms",
          groupOf: (row) => `Node ${row.node.slice(1)}`,
          styleOf: (row) => styleOf(row.client),
          valueOf: (row) => row.beforeMs.median,
          spread: { label: "the middle half of the rounds", of: (row) => row.beforeMs },
        },
      ),
      barChart(
        rows.filter(({ way }) => way === "TLS, after init"),
        {
          title: "First command of the handler, after an init phase",
          unit: "ms",
          groupOf: (row) => `Node ${row.node.slice(1)}`,
          styleOf: (row) => styleOf(row.client),
          valueOf: (row) => row.firstMs!.median,
          spread: { label: "the middle half of the rounds", of: (row) => row.firstMs! },
        },
      ),
    ],
  };
}

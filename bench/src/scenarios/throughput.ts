import { startGatewayProcess } from "warmline-testbed";
import { factor } from "../format.js";
import { labelOf, NOTES, styleOf, versionsMeasured } from "../perf/labels.js";
import { chosenNodes, missingNote } from "../perf/nodes.js";
import { placements, startFixedServer } from "../perf/processes.js";
import { type Cell, cellsOf, isForGateway } from "../perf/warm/cells.js";
import { measureWorkloads } from "../perf/warm/measure.js";
import { type WarmRow, warmRow } from "../perf/warm/rows.js";
import { barChart, tableOf } from "../present.js";
import { randomFrom } from "../random.js";
import type { Outcome } from "../result.js";
import type { Scenario, Settings } from "../scenario.js";

/** Measures warm clients under load: concurrency, batches, value sizes, and arrivals at a fixed rate. */
const throughput: Scenario = {
  name: "throughput",
  title: "Throughput and CPU time per command",
  question:
    "How many commands per second does a client run, batched and not, and how much CPU time does each take?",
  clients: [],
  order: 11,
  run: measure,
};

export default throughput;

async function measure(settings: Settings): Promise<Outcome> {
  const { quick, tls } = settings;
  const rounds = settings.rounds ?? (quick ? 1 : 5);
  const ms = quick ? 20 : 1_000 * (settings.seconds ?? 0.2);
  const nodes = chosenNodes(settings.node);
  const placement = placements()[0]!;
  const server = await startFixedServer(placement);
  const gateway = await startGatewayProcess({ args: ["--engine", settings.engine] });
  const { engine } = await gateway.health();
  const cells = cellsOf(ms, quick, quick ? 200 : 1_000);
  const plan = [
    ...cells.map((cell) => ({ cell, endpoint: server.endpoint({ tls }) })),
    ...cells.filter(isForGateway).map((cell) => ({ cell: atGateway(cell), endpoint: gateway })),
  ];
  const rows: WarmRow[] = [];
  const random = randomFrom(settings.seed);
  let done = 0;
  try {
    for (const node of nodes) {
      for (const { cell, endpoint } of plan) {
        settings.progress.step(
          done++,
          nodes.length * plan.length,
          `Node ${node.version.slice(1)}, ${cell.name}`,
        );
        const { url, token } = endpoint;
        const lanes = cell.clients.map((client) => ({ client, job: cell.job }));
        const options = { node, placement, endpoint: { url, token }, trust: server.trust, rounds, random };
        const taken = await measureWorkloads(lanes, { ...options, warmUpMs: 2 * ms });
        rows.push(...taken.map((took, at) => warmRow(node.version, cell, lanes[at]!.client, took)));
      }
    }
  } finally {
    server.stop();
    await gateway.stop();
  }
  return {
    ...buildReport(rows),
    notes: [
      `Each client runs in a separate process, ${rounds} rounds of ${ms} ms per row. Numbers are medians.`,
      `Client and fixed server run on ${placement === "own cores" ? "separate cores" : "any core"}. Rows named "gateway" use warmline-gateway with engine ${engine}, in the same run.`,
      "Arrivals: calls start at fixed times, whether or not earlier calls have finished. Latencies count from the intended start, so that a stall is not hidden.",
      "Promise.all: the commands are issued at once and awaited together; both clients send them as one request. warmline reads a GET of bytes as bytes, @upstash/redis as text, since it does not support bytes.",
      ...NOTES,
      ...missingNote(nodes, settings.node),
    ],
    settings: {
      rttMs: 0,
      tls,
      engine,
      rounds,
      ms,
      placement,
      quick,
      nodes: nodes.map(({ version }) => version),
    },
    versions: versionsMeasured(),
    data: rows,
  };
}

const atGateway = (cell: Cell): Cell => ({
  ...cell,
  name: `gateway: ${cell.name}`,
  group: "gateway",
  clients: ["warmline", "upstash"],
});

/** Builds the report of the rows. */
export function buildReport(
  rows: readonly WarmRow[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const { node } = rows[0]!;
  const gain = (cell: string) => {
    const [own, upstash] = ["warmline", "upstash"].map(
      (client) => rows.find((row) => row.node === node && row.cell === cell && row.client === client)!,
    );
    return own!.perSecond.median / upstash!.perSecond.median;
  };
  const cpu = (client: string) =>
    rows.find((row) => row.node === node && row.cell.startsWith("1 in flight") && row.client === client)!.cpu
      .median;
  const number = (of: (row: WarmRow) => { median: number }) => (row: WarmRow) => {
    const { median } = of(row);
    return median === 0 ? "" : median.toFixed(median < 100 ? 1 : 0);
  };
  const chart = (group: Cell["group"], title: string) =>
    barChart(
      rows.filter((row) => row.group === group && row.node === node),
      {
        title,
        unit: "",
        logarithmic: true,
        groupOf: (row) => row.cell,
        styleOf: (row) => styleOf(row.client),
        valueOf: (row) => row.perSecond.median,
        spread: { label: "the middle half of the rounds", of: (row) => row.perSecond },
        textOf: (row) => Math.round(row.perSecond.median).toLocaleString("en"),
      },
    );
  return {
    summary:
      `On Node ${node.slice(1)} warmline runs ${factor(gain("50 in flight, not batched"))} as many commands as @upstash/redis ` +
      `with 50 in flight, ${factor(gain("Promise.all of 1000, batched"))} as many with a Promise.all of 1,000, and ` +
      `${factor(gain("pipeline of 1,000 mixed commands"))} as many in pipelines of 1,000. One command at a time takes ` +
      `${Math.round(cpu("warmline"))} us of CPU time with warmline, ${Math.round(cpu("upstash"))} us with @upstash/redis and ` +
      `${Math.round(cpu("raw"))} us with a raw socket. Through a real gateway with 50 in flight it is ` +
      `${factor(gain("gateway: 50 in flight, not batched"))} as many.`,
    headlines: [
      {
        value: factor(gain("50 in flight, not batched")),
        label: "the commands per second of @upstash/redis, 50 in flight",
      },
      { value: `${Math.round(cpu("warmline"))} us`, label: "CPU time of one command" },
    ],
    checks: [],
    table: tableOf(rows, (row) => row.node + row.cell, [
      ["Node", (row) => row.node.slice(1)],
      ["case", (row) => row.cell],
      ["client", (row) => labelOf(row.client)],
      ["commands/s", (row) => Math.round(row.perSecond.median).toLocaleString("en"), "number"],
      ["p50 us", number((row) => row.p50), "number"],
      ["p99 us", number((row) => row.p99), "number"],
      ["CPU us", number((row) => row.cpu), "number"],
    ]),
    charts: [
      chart("in flight", "Commands per second by number in flight"),
      chart("Promise.all", "Commands per second with Promise.all and in a pipeline"),
      chart("values", "Values per second by size"),
      chart("gateway", "Commands per second through warmline-gateway"),
    ],
  };
}

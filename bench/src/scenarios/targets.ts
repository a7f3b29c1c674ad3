import { NOTES, versionsMeasured } from "../perf/labels.js";
import { chosenNodes, missingNote } from "../perf/nodes.js";
import { placements, startFixedServer } from "../perf/processes.js";
import { coldTargets, sizeTargets } from "../perf/targets/cold.js";
import { isMet, measuredText, type Target, wanted } from "../perf/targets/target.js";
import { warmTargets } from "../perf/targets/warm.js";
import { barChart, tableOf } from "../present.js";
import { randomFrom } from "../random.js";
import type { Outcome } from "../result.js";
import type { Scenario, Settings } from "../scenario.js";

/** Measures every target for speed, size and memory: the limit, the measurement, and whether it is met. */
const targets: Scenario = {
  name: "targets",
  title: "Performance targets",
  question: "Does the client meet its targets for speed, size and memory?",
  clients: [],
  order: 12,
  run: measure,
};

export default targets;

async function measure(settings: Settings): Promise<Outcome> {
  const { quick } = settings;
  const rounds = settings.rounds ?? (quick ? 1 : 9);
  const ms = quick ? 20 : 1_000 * (settings.seconds ?? 0.12);
  const heapCommands = quick ? 1_000 : 100_000;
  const nodes = chosenNodes(settings.node);
  const servers = await Promise.all(
    placements().map(async (placement) => ({ placement, server: await startFixedServer(placement) })),
  );
  const { placement, server } = servers[0]!;
  const { endpoint: distant, proxy } = await server.distant(10);
  const random = randomFrom(settings.seed);
  const found: Target[] = sizeTargets();
  try {
    for (const [at, node] of nodes.entries()) {
      const step = (part: number, what: string) =>
        settings.progress.step(2 * at + part, 2 * nodes.length, `Node ${node.version.slice(1)}, ${what}`);
      step(0, "cold");
      found.push(...(await coldTargets({ node, placement, server, distant, rounds, random })));
      step(1, "warm");
      found.push(...(await warmTargets({ node, servers, rounds, ms, heapCommands, random })));
    }
  } finally {
    await proxy.close();
    for (const { server } of servers) server.stop();
  }
  return {
    ...buildReport(found),
    notes: [
      `${rounds} rounds. In each round every client starts a fresh process for every cold row and runs for ${ms} ms for every warm row, after a warm-up of ${3 * ms} ms (one command at a time: 1,200 ms). The median of the rounds' ratios decides.`,
      servers.length > 1
        ? "Clients are pinned to one core and the server to the other. Rows with one command at a time also run with both on the same core."
        : "taskset is missing or there is only one core: the system decides where client and server run.",
      ...NOTES,
      ...missingNote(nodes, settings.node),
      "The scenario gateway measures the targets of the gateway.",
    ],
    settings: {
      rttMs: 0,
      tls: false,
      engine: "fixed replies",
      rounds,
      ms,
      heapCommands,
      placements: servers.map(({ placement }) => placement),
      quick,
      nodes: nodes.map(({ version }) => version),
    },
    versions: versionsMeasured(),
    data: found.map((target) => ({ ...target, met: isMet(target) })),
  };
}

/** Builds the report of the rows. */
export function buildReport(
  rows: readonly Target[],
): Pick<Outcome, "summary" | "headlines" | "checks" | "table" | "charts"> {
  const unmet = rows.filter((row) => !isMet(row));
  const nameOf = ({ node, measure }: Target) =>
    node === "" ? measure : `${measure} (Node ${node.slice(1)})`;
  return {
    summary:
      unmet.length === 0
        ? `All ${rows.length} targets are met.`
        : `${rows.length - unmet.length} of ${rows.length} targets are met. Not met: ${unmet
            .map((row) => `${nameOf(row)}, ${measuredText(row)}`)
            .join("; ")}.`,
    headlines: [{ value: `${rows.length - unmet.length} of ${rows.length}`, label: "targets met" }],
    checks: rows.map((row) => ({
      expectation: `${nameOf(row)}: ${wanted(row)}`,
      passed: isMet(row),
      actual: measuredText(row),
    })),
    table: tableOf(rows, ({ node }) => node, [
      ["Node", ({ node }) => node.slice(1)],
      ["measure", ({ measure }) => measure],
      ["target", wanted],
      ["measured", (row) => measuredText(row), "number"],
      [
        "middle half",
        ({ unit, measured: { low, high } }) =>
          unit === "bytes" ? "" : `${low.toFixed(2)} to ${high.toFixed(2)}`,
      ],
      ["", (row) => (isMet(row) ? "met" : "FAIL")],
      ["medians", ({ medians }) => medians],
    ]),
    charts: [
      barChart(
        rows.filter(({ unit }) => unit === "x"),
        {
          title: "Measurement as a share of the limit",
          unit: "",
          groupOf: ({ node }) => `Node ${node.slice(1)}`,
          styleOf: (row) => ({ label: row.measure, hue: isMet(row) ? 0 : 1 }),
          valueOf: shareOf,
          textOf: (row) => `${measuredText(row)}, ${wanted(row)}`,
        },
      ),
    ],
  };
}

const shareOf = ({ bound, limit, measured: { median } }: Target): number =>
  bound === "at most" ? median / limit : limit / median;

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { tunedForFaults } from "../bench/src/bench-client.js";
import { shortCommit } from "../bench/src/commit.js";
import { grouped } from "../bench/src/present.js";
import { scenarios as readScenarios } from "../bench/src/registry.js";
import { claimRows } from "../bench/src/report/claims.js";
import type { Check, MatrixChart, Result } from "../bench/src/result.js";

// Pages show figures between <!-- bench: NAME --> and <!-- /bench -->. NAME is a block of this file or a scenario, whose table is
// then shown as it is. The figures come from full runs of the bench, whose results are in bench/results: to measure a scenario
// again, run it with --json bench/results/SCENARIO.json, then `npx vitest run test/unit/project/results.test.ts -u`.

const folder = resolve(import.meta.dirname, "../bench/results");

/** Results of full runs, by scenario. */
type Results = ReadonlyMap<string, Result>;

/** The results in `bench/results`. */
export const results: Results = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const result: Result = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return [result.scenario, result] as const;
    }),
);

const scenarios = await readScenarios();

/** The faults that the short table shows, with the words of the symptom. */
const FAULTS: Readonly<Record<string, string>> = {
  "incr, response lost once": "INCR, lost response",
  "incr, a proxy responds 502, 503, 504": "INCR, a proxy's 503",
  "get, no response ever": "GET, silent server",
  "get, frozen and the last response comes again": "GET after a freeze, response comes twice",
  "incr, frozen and the close is lost, a reset follows": "INCR after a freeze, socket reset",
  "incr, frozen and the network drops the flow": "INCR after a freeze, socket dead",
};
/** The clients of the short table, with the titles of their columns. Those that were not measured are left out. */
const FAULT_CLIENTS: Readonly<Record<string, string>> = {
  warmline: "warmline",
  "warmline, deadline": "with a deadline",
  "warmline, exactly-once": "exactly-once",
  "@upstash/redis": "@upstash/redis",
  "bare agent": "http.Agent",
  "ioredis (TCP)": "ioredis",
  "node-redis (TCP)": "node-redis",
};
/** The clients of starts and costs. Their tuned variants have the label that {@link tuned} returns. */
const START_CLIENTS = ["warmline", "@upstash/redis", "bare agent", "ioredis (TCP)", "node-redis (TCP)"];

const tuned = (label: string) => `${label}, tuned`;

const LOAD_CLIENTS = [
  "warmline",
  "@upstash/redis",
  "@upstash/redis, tuned",
  "bare agent",
  "undici",
  "ioredis (TCP)",
  "ioredis (TCP), tuned",
  "node-redis (TCP)",
];

/** The blocks of pages: each returns Markdown, empty if the block is left out until its scenario has been measured. */
const BLOCKS: Readonly<Record<string, (results: Results) => string>> = {
  faults: (results) => {
    const result = resultOf(results, "faults");
    const { columns } = faultChart(result);
    const clients = Object.entries(FAULT_CLIENTS).filter(([label]) => columns.includes(label));
    const labels = clients.map(([label]) => label);
    const rows = Object.entries(FAULTS).map(([title, words]) => [words, ...outcomes(result, title, labels)]);
    return (
      markdown(["", ...clients.map(([, column]) => column)], rows) + sources([result], tunedNote(columns))
    );
  },
  "all-faults": (results) => {
    const result = resultOf(results, "faults");
    const { columns, rows } = faultChart(result);
    const tunedLabels = columns.map(tunedForFaults);
    const labels = columns.filter((label) => !tunedLabels.includes(label));
    const lines = rows.map(({ title }) => [title, ...outcomes(result, title, labels)]);
    return markdown(["", ...labels], lines) + provenance(result, tunedNote(columns));
  },
  starts: (results) => {
    const result = resultOf(results, "cold");
    const clients = START_CLIENTS.flatMap((client) => [client, tuned(client)]).filter(
      (client) => START_CLIENTS.includes(client) || hasRow(result, [coldCase(result), client]),
    );
    const rows = pick(result, [coldCase(result)], clients, [
      "init ms",
      "first ms",
      "init and first ms",
      "CPU ms",
    ]);
    return markdown(["", "init ms", "first command ms", "both ms", "CPU ms"], rows) + provenance(result);
  },
  load: (results) => {
    const result = resultOf(results, "throughput");
    const node = nodeOf(result);
    const one = pick(result, [node, "1 in flight"], LOAD_CLIENTS, ["CPU us"]);
    const many = pick(result, [node, "50 in flight"], LOAD_CLIENTS, ["CPU us", "commands/s"]);
    const rows = one.map((cells, at) => [...cells, ...many[at]!.slice(1)]);
    const head = ["", "CPU us per command, one at a time", "50 in flight", "commands/s, 50 in flight"];
    return markdown(head, rows) + provenance(result);
  },
  costs: (results) => {
    const [cold, throughput, idle, near] = [
      resultOf(results, "cold"),
      resultOf(results, "throughput"),
      results.get("idle"),
      results.get("near"),
    ];
    const columns: [title: string, cells: readonly string[]][] = [
      ["init and first command, ms", betterOf(cold, [coldCase(cold)], "init and first ms", "least")],
      ["CPU per command, us", betterOf(throughput, [nodeOf(throughput), "1 in flight"], "CPU us", "least")],
      [
        "50 in flight, commands/s",
        betterOf(throughput, [nodeOf(throughput), "50 in flight"], "commands/s", "most"),
      ],
    ];
    if (idle)
      columns.push(["SET after 60 s frozen, ms", betterOf(idle, ["SET, 60 s frozen"], "p50 ms", "least")]);
    const rows = START_CLIENTS.map((client, at) => [
      client === "bare agent" ? "http.Agent" : client,
      ...columns.map(([, cells]) => cells[at]!),
    ]);
    const table = markdown(["", ...columns.map(([title]) => title)], rows).replaceAll(" to ", "–");
    const reads =
      near &&
      rowsOf(near, ["reads", "commands"])
        .map(([way, commands]) => `${way}: ${commands}`)
        .join("; ")
        .replaceAll(" to ", "–");
    const note = reads ? `Commands sent for ten reads in each invocation: ${reads}. ` : "";
    const from = [cold, throughput, idle, near].filter((each) => each !== undefined);
    return table + sources(from, note);
  },
  // Its verdicts are in its table.
  targets: (results) => tableBlock(results, "targets"),
  articles: (results) => {
    const rows = grouped(claimRows([...results.values()]), ({ title }) => title).flatMap(([title, own]) => [
      [`**${title}**`, "", "", ""],
      ...own.map(({ text, article, here, reproduced }) => [text, article, withSeparators(here), reproduced]),
    ]);
    return `${markdown(["claim", "article", "here, with 95% interval", "reproduced"], rows)}\n`;
  },
  scenarios: (results) => {
    const rows = scenarios.map(({ name, question }) => {
      const result = results.get(name);
      return [`\`${name}\``, question, result ? `[${dateOf(result)}](${link(name)})` : "not yet run"];
    });
    return `${markdown(["scenario", "question", "full run"], rows)}\n`;
  },
};

/** Returns the Markdown of a block: one of {@link BLOCKS}, or the table and the checks of a scenario. */
function blockOf(name: string, results: Results): string {
  const block = BLOCKS[name];
  if (block) return block(results);
  const table = tableBlock(results, name);
  const checks = results.get(name)?.checks.filter(({ article }) => !article) ?? [];
  if (checks.length === 0) return table;
  const rows = checks.map((check) => [check.expectation, actualOf(check), check.verdict]);
  return `${table}\n${markdown(["check", "here", "verdict"], rows)}\n`;
}

/** The table of a scenario as its report has it. */
function tableBlock(results: Results, name: string): string {
  if (!scenarios.some((each) => each.name === name))
    throw new Error(`There is no block or scenario ${name}.`);
  const result = results.get(name);
  if (!result) return `Not yet run in full: \`npm run bench -- ${name}\` measures it.\n`;
  const titles = result.table.columns.map(({ title }) => title);
  return markdown(titles, rowsOf(result, titles)) + provenance(result);
}

const actualOf = ({ actual, beside }: Check) =>
  withSeparators(beside === undefined ? actual : `${actual}; beside it: ${beside}`);

/** The first Node version of a result's table, whose cells begin with it. */
const nodeOf = ({ table }: Result) => table.rows[0]!.cells[0]!;
/** The case of a client that is created in the init phase, of the first Node version. */
const coldCase = (cold: Result) => `${/^Node \S+/.exec(nodeOf(cold))![0]} init, as shipped, 0 ms`;

/** The table of outcomes in the result of the scenario faults. */
function faultChart({ charts }: Result): MatrixChart {
  const chart = charts.find((each): each is MatrixChart => each.kind === "matrix");
  if (!chart) throw new Error("bench/results/faults.json has no table of outcomes");
  return chart;
}

/** The worst outcomes of a fault for some clients; bad ones are bold. Tuned for faults, a client may have a second one. */
function outcomes(result: Result, fault: string, clients: readonly string[]): string[] {
  const { columns, rows } = faultChart(result);
  const row = rows.find((each) => each.title === fault);
  if (!row) throw new Error(`bench/results/faults.json has no fault ${fault}`);
  const outcomeOf = (label: string) => {
    const column = columns.indexOf(label);
    if (column < 0) throw new Error(`bench/results/faults.json has no client ${label}`);
    const kind = row.cells[column]?.kind ?? "";
    return ["", "right", "rejected"].includes(kind) ? kind : `**${kind}**`;
  };
  return clients.map((label) => {
    const measured = [label, tunedForFaults(label)].filter(
      (each) => each === label || columns.includes(each),
    );
    return [...new Set(measured.map(outcomeOf))].join(" / ");
  });
}

/** Returns what two words in a cell are, if clients were also measured tuned for faults. */
const tunedNote = (columns: readonly string[]): string =>
  columns.some((label) => columns.includes(tunedForFaults(label)))
    ? "Two words: as shipped / with a timeout and no retries. "
    : "";

function resultOf(results: Results, scenario: string): Result {
  const result = results.get(scenario);
  if (!result) throw new Error(`bench/results has no result of ${scenario}`);
  return result;
}

/** The clients of {@link START_CLIENTS} in a case: the better number of their settings as shipped and, if measured, tuned. */
function betterOf(
  result: Result,
  caseCells: readonly string[],
  title: string,
  better: "least" | "most",
): string[] {
  const cellOf = (client: string) => pick(result, caseCells, [client], [title])[0]![1]!;
  const numberOf = (cell: string) => Number.parseFloat(cell.replaceAll(",", ""));
  return START_CLIENTS.map((client) => {
    const shipped = cellOf(client);
    if (!hasRow(result, [...caseCells, tuned(client)])) return shipped;
    const best = cellOf(tuned(client));
    const gain = numberOf(shipped) - numberOf(best);
    return (better === "least" ? gain : -gain) > 0 ? `${best}, tuned` : shipped;
  });
}

const rowAt = ({ table }: Result, begin: readonly string[]) =>
  table.rows.findIndex(({ cells }) => begin.every((cell, column) => cells[column] === cell));
const hasRow = (result: Result, begin: readonly string[]) => rowAt(result, begin) >= 0;

/** Returns the rows of a case for some clients: the label, then the columns with these titles. The case's cells come first in a row. */
function pick(
  result: Result,
  caseCells: readonly string[],
  clients: readonly string[],
  titles: readonly string[],
): string[][] {
  const cellsOf = rowsOf(result, titles);
  return clients.map((client) => {
    const begin = [...caseCells, client];
    const at = rowAt(result, begin);
    if (at < 0) throw new Error(`bench/results/${result.scenario}.json has no row ${begin.join(", ")}`);
    return [client, ...cellsOf[at]!];
  });
}

/** Returns the columns of a result's table with these titles, row by row. */
function rowsOf({ table, scenario }: Result, titles: readonly string[]): string[][] {
  const columns = titles.map((title) => {
    const at = table.columns.findIndex((column) => column.title === title);
    if (at < 0) throw new Error(`bench/results/${scenario}.json has no column ${title}`);
    return at;
  });
  return table.rows.map(({ cells }) => columns.map((column) => withSeparators(cells[column]!)));
}

const withSeparators = (text: string) =>
  text.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString("en"));

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

const dateOf = ({ startedAt }: Result) => startedAt.slice(0, 10);

/** The dates of results, with the commits that have been recorded. */
const measuredOn = (from: readonly Result[]) =>
  [
    ...new Set(
      from.map(
        (result) =>
          dateOf(result) + (result.commit === undefined ? "" : ` (commit ${shortCommit(result.commit)})`),
      ),
    ),
  ]
    .sort()
    .join(" and ");

/** The date, the commit, the machine and the versions of results that were measured on one machine. */
function origin(...from: readonly Result[]): string {
  const { cpu, cores, node } = from[0]!.machine;
  const versions = Object.entries(Object.assign({}, ...from.map((result) => result.versions)))
    .filter(([name]) => !name.startsWith("warmline"))
    .map(([name, version]) => `, ${name} ${version}`);
  return `Measured on ${measuredOn(from)}, ${cpu}, ${cores} cores, Node ${node.slice(1)}${versions.join("")}`;
}

/** A note, then the date, the machine and the command of a result. */
const provenance = (result: Result, note = "") =>
  `\n\n${note}${origin(result)}: \`${result.command}\` ([all numbers](${link(result.scenario)})).\n`;

/** A note, then the dates and the machine of results, with links to their commands and numbers. @throws if their machines or versions differ */
function sources(from: readonly Result[], note = ""): string {
  const [first] = from;
  for (const { machine, versions, scenario } of from) {
    const same =
      (["cpu", "cores", "node"] as const).every((key) => machine[key] === first!.machine[key]) &&
      Object.entries(versions).every(([name, version]) => (first!.versions[name] ?? version) === version);
    if (!same)
      throw new Error(
        `bench/results/${scenario}.json has another machine or version than ${first!.scenario}`,
      );
  }
  const links = from.map(({ scenario }) => `[${scenario}](${link(scenario)})`).join(", ");
  return `\n\n${note}${origin(...from)}. Commands and all numbers: ${links}.\n`;
}

const link = (scenario: string) =>
  `https://github.com/warmline/warmline/blob/main/bench/results/${scenario}.json`;

const BLOCK = /(<!-- bench: ([a-z-]+) -->\n).*?(<!-- \/bench -->)/gs;

/**
 * Returns a page with the blocks of the bench's figures filled in.
 * @throws if there is neither a block nor a scenario of a name, or if a result lacks a row or column that a block shows
 */
export function withResults(page: string, from = results): string {
  return page.replace(BLOCK, (_, begin, name, end) => {
    const text = blockOf(name, from);
    return text === "" ? begin + end : `${begin}\n${text}\n${end}`;
  });
}

/** Returns a page without its blocks of the bench's figures; the number of lines stays the same. */
export const withoutResults = (page: string): string =>
  page.replace(BLOCK, (block) => block.replace(/[^\n]/g, ""));

/** The names of the blocks on a page. */
export const blocksOn = (page: string): string[] =>
  [...page.matchAll(/<!-- bench: ([a-z-]+) -->/g)].map(([, name]) => name!);

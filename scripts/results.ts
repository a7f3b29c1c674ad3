import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
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
const START_CLIENTS = ["warmline", "@upstash/redis", "bare agent", "ioredis (TCP)", "node-redis (TCP)"];

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
    return markdown(["", ...clients.map(([, column]) => column)], rows) + sources(result);
  },
  "all-faults": (results) => {
    const result = resultOf(results, "faults");
    const { columns, rows } = faultChart(result);
    const lines = rows.map(({ title }) => [title, ...outcomes(result, title, columns)]);
    return markdown(["", ...columns], lines) + provenance(result);
  },
  starts: (results) => {
    const result = resultOf(results, "cold");
    const rows = pick(result, [coldCase(result)], START_CLIENTS, [
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
    const columns: [title: string, cells: string[][]][] = [
      ["init and first command, ms", pick(cold, [coldCase(cold)], START_CLIENTS, ["init and first ms"])],
      [
        "CPU per command, us",
        pick(throughput, [nodeOf(throughput), "1 in flight"], START_CLIENTS, ["CPU us"]),
      ],
      [
        "50 in flight, commands/s",
        pick(throughput, [nodeOf(throughput), "50 in flight"], START_CLIENTS, ["commands/s"]),
      ],
    ];
    if (idle)
      columns.push([
        "SET after 60 s frozen, ms",
        pick(idle, ["SET, 60 s frozen"], START_CLIENTS, ["p50 ms"]),
      ]);
    const rows = START_CLIENTS.map((client, at) => [
      client === "bare agent" ? "http.Agent" : client,
      ...columns.map(([, cells]) => cells[at]![1]!),
    ]);
    const table = markdown(["", ...columns.map(([title]) => title)], rows).replaceAll(" to ", "–");
    const reads =
      near &&
      rowsOf(near, ["reads", "commands"])
        .map(([way, commands]) => `${way}: ${commands}`)
        .join("; ")
        .replaceAll(" to ", "–");
    const note = reads ? `\n\nCommands sent for ten reads in each invocation: ${reads}.` : "";
    const from = [cold, throughput, idle, near].filter((each) => each !== undefined);
    return table + note + sources(...from);
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

/** The worst outcomes of a fault for some clients; bad ones are bold. */
function outcomes(result: Result, fault: string, clients: readonly string[]): string[] {
  const { columns, rows } = faultChart(result);
  const row = rows.find((each) => each.title === fault);
  if (!row) throw new Error(`bench/results/faults.json has no fault ${fault}`);
  return clients.map((label) => {
    const column = columns.indexOf(label);
    if (column < 0) throw new Error(`bench/results/faults.json has no client ${label}`);
    const kind = row.cells[column]?.kind ?? "";
    return ["", "right", "rejected"].includes(kind) ? kind : `**${kind}**`;
  });
}

function resultOf(results: Results, scenario: string): Result {
  const result = results.get(scenario);
  if (!result) throw new Error(`bench/results has no result of ${scenario}`);
  return result;
}

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
    const at = result.table.rows.findIndex(({ cells }) =>
      begin.every((cell, column) => cells[column] === cell),
    );
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

/** The date, the machine and the command of a result. */
const provenance = (result: Result) =>
  `\n\n${origin(result)}: \`${result.command}\` ([all numbers](${link(result.scenario)})).\n`;

/** The dates and the machine of results, with links to their commands and numbers. @throws if their machines or versions differ */
function sources(...from: readonly Result[]): string {
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
  return `\n\n${origin(...from)}. Commands and all numbers: ${links}.\n`;
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

import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { MatrixChart, Result } from "../bench/src/result.js";

// Pages show figures between <!-- bench: NAME --> and <!-- /bench -->. They come from full runs of the bench, whose results are
// in bench/results: to measure a scenario again, run it with --json bench/results/SCENARIO.json, then
// `npx vitest run test/unit/project/results.test.ts -u`.

const folder = resolve(import.meta.dirname, "../bench/results");

/** The results in `bench/results`, by scenario. */
export const results: ReadonlyMap<string, Result> = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const result: Result = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return [result.scenario, result] as const;
    }),
);

/** The faults that the short table shows, with the words of the symptom. */
const FAULTS: Readonly<Record<string, string>> = {
  "incr, response lost once": "INCR, its response is lost",
  "set, response lost; then another client sets":
    "SET, its response is lost; then another client sets the key",
  "incr, response cut off in the middle": "INCR, its response is cut off",
  "incr, a proxy responds 502, 503, 504": "INCR, a proxy responds 502, 503 or 504",
  "get, 200 with HTML, truncated JSON, an empty body": "GET, a proxy responds 200 with HTML or half a body",
  "get, no response ever": "GET, the server is silent",
  "incr, the server restarts": "INCR, the server restarts",
  "get, frozen and the last response comes again": "GET after a freeze, a response comes twice",
  "incr, frozen and the close is lost, a reset follows": "INCR after a freeze, the connection was reset",
  "incr, frozen and the network drops the flow": "INCR after a freeze, the network dropped the connection",
};
const FAULT_CLIENTS = [
  "warmline",
  "warmline, exactly-once",
  "@upstash/redis",
  "fetch",
  "ioredis (TCP)",
  "node-redis (TCP)",
];
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

/** The blocks of pages: each returns Markdown. */
const BLOCKS: Readonly<Record<string, () => string>> = {
  faults: () => faultTable(FAULT_CLIENTS, Object.entries(FAULTS)),
  "all-faults": () => {
    const { columns, rows } = faultChart();
    return faultTable(
      columns,
      rows.map(({ title }) => [title, title]),
    );
  },
  starts: () => {
    const result = resultOf("cold");
    const [first] = result.table.rows;
    const node = /^Node \S+/.exec(first!.cells[0]!)![0];
    const ofCase = (name: string) =>
      pick(result, [`${node} ${name}`], START_CLIENTS, [
        "init ms",
        "first ms",
        "init and first ms",
        "CPU ms",
      ]);
    return (
      markdown(["", "init ms", "first command ms", "both ms", "CPU ms"], ofCase("init, as shipped, 0 ms")) +
      provenance(result)
    );
  },
  load: () => {
    const result = resultOf("throughput");
    const node = result.table.rows[0]!.cells[0]!;
    const one = pick(result, [node, "1 in flight"], LOAD_CLIENTS, ["CPU us"]);
    const many = pick(result, [node, "50 in flight"], LOAD_CLIENTS, ["CPU us", "commands/s"]);
    const rows = one.map((cells, at) => [...cells, ...many[at]!.slice(1)]);
    const head = ["", "CPU us per command, one at a time", "50 in flight", "commands/s, 50 in flight"];
    return markdown(head, rows) + provenance(result);
  },
};

/** The table of outcomes in the result of the scenario faults. */
const faultChart = () =>
  resultOf("faults").charts.find((each): each is MatrixChart => each.kind === "matrix")!;

/** @param faults the titles of faults, and the words that stand for them */
function faultTable(
  clients: readonly string[],
  faults: readonly (readonly [title: string, words: string])[],
): string {
  const { columns, rows } = faultChart();
  const cellsOf = (title: string) => {
    const row = rows.find((each) => each.title === title);
    if (!row) throw new Error(`bench/results/faults.json has no fault ${title}`);
    return clients.map((label) => {
      const kind = row.cells[columns.indexOf(label)]?.kind ?? "";
      return ["", "right", "rejected"].includes(kind) ? kind : `**${kind}**`;
    });
  };
  const table = markdown(
    ["", ...clients],
    faults.map(([title, words]) => [words, ...cellsOf(title)]),
  );
  return table + provenance(resultOf("faults"));
}

function resultOf(scenario: string): Result {
  const result = results.get(scenario);
  if (!result) throw new Error(`bench/results has no result of ${scenario}`);
  return result;
}

/** Returns the rows of a case for some clients: the label, then the columns with these titles. The case's cells come first in a row. */
function pick(
  { table, scenario }: Result,
  caseCells: readonly string[],
  clients: readonly string[],
  titles: readonly string[],
): string[][] {
  const columns = titles.map((title) => table.columns.findIndex((column) => column.title === title));
  return clients.map((client) => {
    const begin = [...caseCells, client];
    const row = table.rows.find(({ cells }) => begin.every((cell, at) => cells[at] === cell));
    if (!row) throw new Error(`bench/results/${scenario}.json has no row ${begin.join(", ")}`);
    return [client, ...columns.map((column) => withSeparators(row.cells[column]!))];
  });
}

const withSeparators = (text: string) =>
  text.replace(/\d{4,}/g, (digits) => Number(digits).toLocaleString("en"));

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** The date, the machine and the command of a result. */
function provenance({ startedAt, machine, command, scenario, versions }: Result): string {
  const { cores, node } = machine;
  const named = Object.entries(versions)
    .filter(([name]) => !name.startsWith("warmline"))
    .map(([name, version]) => `${name} ${version}`);
  return `\n\nMeasured on ${startedAt.slice(0, 10)}, ${cores} cores, Node ${node.slice(1)}, ${named.join(", ")}: \`${command}\` ([all numbers](${link(scenario)})).\n`;
}

const link = (scenario: string) =>
  `https://github.com/warmline/warmline/blob/main/bench/results/${scenario}.json`;

/** Returns a page with the blocks of the bench's figures filled in. @throws if a block or its result does not exist */
export function withResults(page: string): string {
  return page.replace(/(<!-- bench: ([a-z-]+) -->\n).*?(<!-- \/bench -->)/gs, (_, begin, name, end) => {
    const block = BLOCKS[name];
    if (!block) throw new Error(`There is no block ${name}.`);
    return `${begin}\n${block()}\n${end}`;
  });
}

/** The names of the blocks on a page. */
export const blocksOn = (page: string): string[] =>
  [...page.matchAll(/<!-- bench: ([a-z-]+) -->/g)].map(([, name]) => name!);

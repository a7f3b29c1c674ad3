import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { asAdvised } from "../bench/src/client/bench-client.js";
import { clients as readClients, scenarios as readScenarios } from "../bench/src/registry.js";
import { claimRows } from "../bench/src/report/claims.js";
import { grouped } from "../bench/src/results/present.js";
import type { Check, MatrixChart, Result } from "../bench/src/results/result.js";
import { barsOf, type ClientBars, lostAfterFreeze, nameOf } from "./results-picture.js";

// Pages show figures between <!-- bench: NAME --> and <!-- /bench -->. NAME is a block of this file or a scenario, whose table is
// then shown as it is. The figures come from bench/results, which `npm run bench -- publish` writes; then
// `npm run test:repo -- test/repo/project/results.test.ts -u` writes the pages.

const folder = resolve(import.meta.dirname, "../bench/results");

/** Published results, by scenario. */
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

const [scenarios, benchClients] = [await readScenarios(), await readClients()];

/** The columns of wide tables that their pages show. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  fleet: ["gateway", "instances", "peak open", "evicted", "refusals", "failed", "p50 ms", "p99 ms"],
  near: [
    "writes",
    "reads",
    "commands",
    "p50 ms",
    "stale values",
    "stale by ms, at most",
    "Lambda $",
    "Upstash $",
  ],
};

/** README's questions, with the faults that answer them. */
const QUESTIONS: Readonly<Record<string, string>> = {
  "incr, frozen and the network drops the flow":
    "The network drops the connection during a freeze. What does the next `INCR` get?",
  "incr, response lost once": "The reply to an `INCR` is lost. How often does it count?",
  "incr, a proxy responds 502, 503, 504": "A proxy answers 503. What does an `INCR` get?",
  "get, no response ever": "Redis never answers. Does a `GET` end before my function?",
};
/** The clients of README's table, with its names for them. */
const FAULT_CLIENTS: Readonly<Record<string, string>> = {
  "@upstash/redis": "@upstash/redis",
  "bare agent": "http.Agent",
  undici: "undici",
  "ioredis (TCP)": "ioredis",
  "node-redis (TCP)": "node-redis",
};
/** The description of an outcome for users. */
const SEEN: Readonly<Record<string, string>> = {
  right: "right, once",
  rejected: "an error, in time",
  doubled: "**counted twice**",
  hung: "**hangs**",
  wrong: "**a wrong reply**",
};

/** The clients of the block starts. {@link tuned} returns the label of the tuned variant. */
const START_CLIENTS = ["warmline", "@upstash/redis", "bare agent", "ioredis (TCP)", "node-redis (TCP)"];

const tuned = (label: string) => `${label}, tuned`;

const COST_CLIENTS = ["warmline", "@upstash/redis", "bare agent", "ioredis (TCP)"];

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

/** The picture of docs/benchmarks.md: its charts beside each other, or one below the other on a phone. */
const PICTURE = `<p><picture>
  <source media="(max-width: 640px)" srcset="./benchmarks-narrow.svg">
  <img src="./benchmarks.svg" alt="Two bars for each client: calls lost after a freeze, and writes applied more than once">
</picture></p>
`;

/** Returns "3 (a, c), 0 (b)": each number, and the clients that have it. */
function counted(bars: readonly ClientBars[], numberOf: (bars: ClientBars) => number | undefined): string {
  const some = bars.filter((each) => numberOf(each) !== undefined);
  return grouped(some, (each) => String(numberOf(each)))
    .map(([number, clients]) => `${number} (${clients.map(({ label }) => nameOf(label)).join(", ")})`)
    .join(", ");
}

/** Returns the bounds of the interval in a cell such as "1.2 (1.1 to 1.3)", "1.1 to 1.9" or "3". */
function ends(cell: string): readonly [low: number, high: number] {
  const numbers = [...cell.replaceAll(",", "").matchAll(/-?\d+(?:\.\d+)?/g)].map(([text]) => Number(text));
  return [numbers.at(-2) ?? numbers[0]!, numbers.at(-1)!];
}

/** Returns the name of the lower cell, or "either" if the intervals overlap. */
function better(http: string, tcp: string): string {
  const [[lowOfHttp, highOfHttp], [lowOfTcp, highOfTcp]] = [ends(http), ends(tcp)];
  return highOfHttp < lowOfTcp ? "HTTP" : highOfTcp < lowOfHttp ? "TCP" : "either";
}

/** The blocks of pages. Each returns Markdown, or an empty text to leave the block out. */
const BLOCKS: Readonly<Record<string, (results: Results) => string>> = {
  faults: (results) => {
    const result = resultOf(results, "faults");
    const rows = Object.entries(QUESTIONS).map(([fault, question]) => {
      const kindOf = (label: string) => kindAt(result, fault, label);
      // A fault of HTTP alone has no outcome over TCP.
      const others = Object.entries(FAULT_CLIENTS).filter(([label]) => kindOf(label) !== "");
      const kinds = Object.keys(SEEN).filter((kind) => others.some(([label]) => kindOf(label) === kind));
      const cells = kinds.map((kind) => {
        const names = others.filter(([label]) => kindOf(label) === kind).map(([, name]) => name);
        const areAll = names.length === Object.keys(FAULT_CLIENTS).length;
        return `${SEEN[kind]}: ${areAll ? "all of them" : names.join(", ")}`;
      });
      return [question, SEEN[kindOf("warmline")]!, cells.join("<br>")];
    });
    const head = `${Object.values(FAULT_CLIENTS).join(", ")}, with default settings`;
    const { columns } = faultChart(result);
    const labels = Object.keys(FAULT_CLIENTS)
      .map(asAdvised)
      .filter((label) => columns.includes(label));
    const advised = Object.keys(QUESTIONS).flatMap((fault) =>
      labels.map((label) => kindAt(result, fault, label)),
    );
    const isFair = advised.every((kind) => ["", "right", "rejected"].includes(kind));
    const withAdvice = isFair ? "none of them hangs or counts twice" : "some of these end right";
    return `${markdown(["", "warmline, one gateway", head], rows)}\n\nWith [the settings that their docs advise](docs/benchmarks.md#peers), ${withAdvice}. Measured ${dateOf(result)}, ${runsOf(result)}; [all faults](docs/benchmarks.md#faults).\n`;
  },
  slower: (results) => {
    const [cold, load] = [resultOf(results, "cold"), resultOf(results, "throughput")];
    const beside = (result: Result, cells: readonly string[], title: string) =>
      ["warmline", "bare agent"].map(
        (client) => pick(result, cells, [client], [title])[0]![1]!.split(" (")[0]!,
      );
    const [start, startOfAgent] = beside(cold, [coldCase(cold)], "init and first ms");
    const [pipeline, pipelineOfAgent] = beside(load, [nodeOf(load), "pipeline of 1,000 GETs"], "commands/s");
    const writes = firstWrites(results);
    const write = (way: string) =>
      writes.rows
        .find((row) => row[0] === way)!
        [1 + writes.pauses.indexOf("frozen for 2 s")]!.split(" (")[0]!;
    return `**Where it is slower**: a cold start takes ${start} ms up to the first reply, with ten lines of \`http.Agent\` it takes ${startOfAgent} ms. An explicit pipeline of 1,000 GETs runs at ${inThousands(pipeline!)} thousand commands a second, with \`http.Agent\` at ${inThousands(pipelineOfAgent!)} thousand. On Upstash, with a round trip of 20 ms, the first write after a freeze of 2 s takes ${write("PING, then the write")} ms, with @upstash/redis ${write("@upstash/redis")} ms: warmline first tests the connection by a \`PING\`, which counts as a command. [All figures](docs/performance.md).\n`;
  },
  "all-faults": (results) => {
    const result = resultOf(results, "faults");
    const { columns, rows } = faultChart(result);
    const advisedLabels = columns.map(asAdvised);
    const labels = columns.filter((label) => !advisedLabels.includes(label));
    const variants = labels.map((label) => [label, asAdvised(label)]);
    const lines = rows.map(({ title }) => [
      title,
      ...outcomes(result, title, variants).map((kinds) => kinds.join(" / ")),
    ]);
    const note = columns.some((label) => advisedLabels.includes(label))
      ? "Two words: as shipped / [as its docs advise](#peers). "
      : "";
    return markdown(["", ...labels], lines) + provenance(result, note);
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
  sizes: (results) => {
    const result = resultOf(results, "cold");
    const sizes = (result.settings.sizes ?? {}) as Readonly<Record<string, readonly [number, number]>>;
    const rows = Object.entries(sizes).map(([client, [minified, gzipped]]) =>
      [client, minified, gzipped].map((cell) =>
        typeof cell === "number" ? cell.toLocaleString("en") : cell,
      ),
    );
    return markdown(["", "minified, bytes", "and gzipped, bytes"], rows) + provenance(result);
  },
  load: (results) => {
    const result = resultOf(results, "throughput");
    const node = nodeOf(result);
    const all: LoadColumns = [
      ["CPU us, one at a time", "1 in flight", "CPU us"],
      ["CPU us, 50 in flight", "50 in flight", "CPU us"],
      ["1,000/s, 50 in flight", "50 in flight", "commands/s"],
      ["1,000/s, 50 with a request each", "50 in flight, a request each", "commands/s"],
      ["1,000/s, pipeline of 1,000", "pipeline of 1,000 GETs", "commands/s"],
    ];
    const columns = all.filter(([, name]) => hasRow(result, [node, name, "warmline"]));
    return loadTable(result, columns) + provenance(result);
  },
  // Through the gateway and Redis, or Redis directly.
  real: (results) => {
    const columns: LoadColumns = [
      ["CPU us, one at a time", "real servers: 1 in flight", "CPU us"],
      ["1,000/s, 50 in flight", "real servers: 50 in flight", "commands/s"],
      ["1,000/s, pipeline of 50", "real servers: pipeline of 50 GETs", "commands/s"],
      ["1,000/s, pipeline of 1,000", "real servers: pipeline of 1,000 GETs", "commands/s"],
    ];
    return `${loadTable(resultOf(results, "throughput"), columns)}\n`;
  },
  // The picture is docs/benchmarks.svg.
  picture: (results) => {
    const [zombie, faults] = [resultOf(results, "zombie"), resultOf(results, "faults")];
    const bars = barsOf(zombie, faults);
    const peers = bars.filter(({ label }) => !label.startsWith("warmline"));
    const warmline = bars.filter(({ label }) => label.startsWith("warmline"));
    const sum = (of: (bars: ClientBars) => number) => warmline.reduce((all, each) => all + of(each), 0);
    const load = resultOf(results, "throughput");
    const pipeline = (client: string) =>
      inThousands(pick(load, [nodeOf(load), "pipeline of 1,000 GETs"], [client], ["commands/s"])[0]![1]!);
    const slower = `${pipeline("warmline")} with warmline and ${pipeline("bare agent")} with http.Agent, in thousands of commands a second`;
    return [
      PICTURE,
      `Behind a middlebox that drops idle connections, warmline lost ${sum(({ shipped }) => shipped.lost)} first calls after a freeze. The others, of ${bars[0]!.shipped.calls} each, as shipped: ${counted(peers, ({ shipped }) => shipped.lost)}; as [their docs advise](#peers): ${counted(peers, ({ advised }) => advised?.lost)}.`,
      `Over all faults, warmline applied ${sum(({ shipped }) => shipped.doubled ?? 0)} writes more than once. The others, as shipped: ${counted(peers, ({ shipped }) => shipped.doubled)}; as their docs advise: ${counted(peers, ({ advised }) => advised?.doubled)}.`,
      `Where \`http.Agent\` wins: its size, [cold starts](performance.md#starts-and-load), and explicit pipelines: 1,000 GETs run at ${slower} (${[...new Set([zombie, faults, load].map(runsOf))].join("; ")}).\n`,
    ].join("\n");
  },
  // From the clients themselves, not from results.
  peers: () => {
    const rows = benchClients.flatMap(({ label, advised }) =>
      advised ? [[label, advised.settings, `[docs](${advised.link})`]] : [],
    );
    return `${markdown(["client", "as its docs advise", ""], rows)}\n`;
  },
  advice: (results) => {
    const cell = (name: string, cells: readonly string[], title: string) => {
      const result = resultOrPart(results, name);
      if (!result) throw new Error(`bench/results has no result of ${name}`);
      return pick(result, cells.slice(0, -1), [cells.at(-1)!], [title])[0]![1]!;
    };
    const compared = (where: string, measure: string, http: string, tcp: string) => {
      return [where, measure, http, tcp, better(http, tcp)];
    };
    const start = (memory: string, client: string) => cell("memory", [memory, client], "first ms");
    const sizes = new Set(rowsOf(resultOf(results, "memory"), ["function"]).map(([size]) => size!));
    const distances = resultOrPart(results, "distance");
    const far = new Set(distances ? rowsOf(distances, ["round trip"]).map(([trip]) => trip!) : []);
    const warm = (trip: string, client: string) => cell("distance", [trip, client], "warm p50 ms");
    const held = (arm: string) => cell("redis-memory", ["1000", arm], "connections");
    const lost = (arm: string, label: string) =>
      String(lostAfterFreeze(resultOf(results, "zombie"), arm, label));
    const rows = [
      ...[...sizes].map((size) =>
        compared(
          `memory ${size}`,
          "first invocation, ms",
          start(size, "warmline"),
          start(size, "ioredis (TCP)"),
        ),
      ),
      ...[...far]
        .filter((trip) => trip.endsWith("TLS"))
        .map((trip) =>
          compared(
            `round trip ${trip}`,
            "a warm command, p50 ms",
            warm(trip, "warmline"),
            warm(trip, "ioredis (TCP)"),
          ),
        ),
      compared(
        "1,000 instances, simulated by idle sockets",
        "connections at Redis",
        held("through the gateway, bare sockets"),
        held("directly, bare sockets"),
      ),
      ...["honest server", "middlebox"].map((arm) =>
        compared(
          `frozen, ${arm === "middlebox" ? "and a middlebox drops the flow" : "and the server closes"}`,
          "first calls lost",
          lost(arm, "warmline"),
          lost(arm, "ioredis (TCP)"),
        ),
      ),
    ];
    return `${markdown(["your function", "measured", "warmline over HTTP", "ioredis over TCP", "better"], rows)}\n`;
  },
  costs: (results) => {
    const result = resultOf(results, "cost");
    const cases = [...new Set(rowsOf(result, ["invocation"]).map(([name]) => name!))];
    const titles = ["Lambda $", "Upstash $", "egress $"];
    const rows = cases.flatMap((name) =>
      pick(result, [name], COST_CLIENTS, titles).map((row) => [name, ...row]),
    );
    return markdown(["invocation", "client", ...titles], rows) + provenance(result);
  },
  // The medians of writes over TLS: the whole table has a hundred rows.
  "first-write": (results) => {
    const { result, pauses, rows } = firstWrites(results);
    const head = ["p50 ms of a write", ...pauses];
    return (
      markdown(head, rows) +
      provenance(result, `Over TLS, with a round trip of ${result.settings.rttMs} ms. `)
    );
  },
  articles: (results) => {
    const rows = grouped(claimRows([...results.values()]), ({ title }) => title).flatMap(
      ([title, claims]) => [
        [`**${title}**`, "", "", ""],
        ...claims.map(({ text, article, here, reproduced }) => {
          return [text, article, withSeparators(here), reproduced];
        }),
      ],
    );
    return `${markdown(["claim", "article", "here, with 95% interval", "verdict"], rows)}\n`;
  },
  scenarios: (results) => {
    const rows = scenarios.map(({ name, question, parts = [] }) => {
      const result = results.get(name);
      const also = parts.map((part) => ` \`${part.name}\`: ${part.question}`).join("");
      const published = result && `[${dateOf(result)}](${link(name)}), ${runsOf(result)}`;
      return [`\`${name}\``, question + also, published ?? "not yet run"];
    });
    return `${markdown(["scenario", "question", "published"], rows)}\n`;
  },
};

/** The title on the page, the case and the title in the result. */
type LoadColumns = readonly (readonly [title: string, name: string, column: string])[];

/** Returns a table of cases of the scenario throughput, with a row for each client. */
function loadTable(result: Result, columns: LoadColumns): string {
  const cells = columns.map(([, name, title]) =>
    pick(result, [nodeOf(result), name], LOAD_CLIENTS, [title]).map(([, cell]) =>
      title === "commands/s" ? inThousands(cell!) : cell!,
    ),
  );
  const rows = LOAD_CLIENTS.map((client, at) => [client, ...cells.map((column) => column[at]!)]);
  return markdown(["", ...columns.map(([title]) => title)], rows);
}

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

/** Returns the medians of a first write over TLS: a row for each way, with its label and a cell for each pause. */
function firstWrites(results: Results) {
  const result = resultOrPart(results, "first-write");
  if (!result) throw new Error("bench/results has no result of first-write");
  const secure = rowsOf(result, ["pause", "way", "p50 ms"]).filter(
    ([pause, way]) => pause!.endsWith(", TLS") && !way!.endsWith(", GET") && way !== "warmline, SET",
  );
  const pauses = [...new Set(secure.map(([pause]) => pause!))];
  const rows = [...new Set(secure.map(([, way]) => way!))].map((way) => [
    way.replace(/, SET$/, ""),
    ...pauses.map((pause) => secure.find((row) => row[0] === pause && row[1] === way)?.[2] ?? ""),
  ]);
  return { result, pauses: pauses.map((pause) => pause.replace(/, TLS$/, "")), rows };
}

/** Returns the result of a scenario. For a part, it has the part's table and settings, and no checks. */
function resultOrPart(results: Results, name: string): Result | undefined {
  const whole = results.get(name);
  if (whole) return whole;
  for (const result of results.values()) {
    const part = result.parts?.find((each) => each.name === name);
    if (part) {
      const settings = { ...result.settings, ...(result.settings[name] as object) };
      return { ...result, table: part.table, checks: [], settings };
    }
  }
  return undefined;
}

/** Returns the table of a scenario or part, as in its report. */
function tableBlock(results: Results, name: string): string {
  if (!scenarios.some((each) => [each, ...(each.parts ?? [])].some((part) => part.name === name)))
    throw new Error(`There is no block or scenario ${name}.`);
  const result = resultOrPart(results, name);
  if (!result) return `Not yet run in full: \`npm run bench -- ${name}\` measures it.\n`;
  const titles = COLUMNS[name] ?? result.table.columns.map(({ title }) => title);
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

/** Returns the worst outcome of a fault for a client; empty if the fault does not concern the client. */
function kindAt(result: Result, fault: string, label: string): string {
  const { columns, rows } = faultChart(result);
  const row = rows.find((each) => each.title === fault);
  if (!row) throw new Error(`bench/results/faults.json has no fault ${fault}`);
  const column = columns.indexOf(label);
  if (column < 0) throw new Error(`bench/results/faults.json has no client ${label}`);
  return row.cells[column]?.kind ?? "";
}

/**
 * Returns the worst outcomes of a fault for some clients, each once; bad ones are bold.
 * @param clients the labels of each client's variants. The first must be in the result
 */
function outcomes(result: Result, fault: string, clients: readonly (readonly string[])[]): string[][] {
  const { columns } = faultChart(result);
  const outcomeOf = (label: string) => {
    const kind = kindAt(result, fault, label);
    return ["", "right", "rejected"].includes(kind) ? kind : `**${kind}**`;
  };
  return clients.map((variants) => {
    const measured = variants.filter((label, at) => at === 0 || columns.includes(label));
    return [...new Set(measured.map(outcomeOf))];
  });
}

function resultOf(results: Results, scenario: string): Result {
  const result = results.get(scenario);
  if (!result) throw new Error(`bench/results has no result of ${scenario}`);
  return result;
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

/** Replaces the numbers of a cell. */
const mapNumbers = (cell: string, replace: (value: number, text: string) => string) =>
  cell.replace(/\d[\d,]*(?:\.\d+)?/g, (text) => replace(Number(text.replaceAll(",", "")), text));
const rounded = (value: number) => Math.round(value).toLocaleString("en");
const inThousands = (cell: string) => mapNumbers(cell, (value) => rounded(value / 1_000));
const withSeparators = (text: string) =>
  text.replace(/(?<![.\d])\d{4,}/g, (digits) => Number(digits).toLocaleString("en"));

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

/** Returns the number of runs of a result. */
const runsOf = ({ runs }: Result) =>
  runs === undefined || runs.count === 1 ? "1 run" : `${runs.count} runs`;

const dateOf = ({ startedAt }: Pick<Result, "startedAt">) => startedAt.slice(0, 10);

/** The machine of a result. */
const machineOf = ({ machine: { cpu, cores, node } }: Result) =>
  `${cpu}, ${cores} cores, Node ${node.slice(1)}`;

/** The versions of the clients of a result. */
const versionsOf = ({ versions }: Result) =>
  Object.entries(versions)
    .filter(([name]) => !name.startsWith("warmline"))
    .map(([name, version]) => `, ${name} ${version}`)
    .join("");

/** A note, then the date, the commit if it has been recorded, the machine, the versions and the command of a result. */
function provenance(result: Result, note = ""): string {
  const commit = result.commit === undefined ? "" : ` (commit ${result.commit.slice(0, 9)})`;
  const numbers = `\`${result.command}\` ([all numbers](${link(result.scenario)}))`;
  return `\n\n${note}Measured on ${dateOf(result)}${commit}, ${runsOf(result)}, ${machineOf(result)}${versionsOf(result)}: ${numbers}.\n`;
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

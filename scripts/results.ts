import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { asAdvised } from "../bench/src/client/bench-client.js";
import { clients as readClients, scenarios as readScenarios } from "../bench/src/registry.js";
import { claimRows } from "../bench/src/report/claims.js";
import { grouped } from "../bench/src/results/present.js";
import type { PRICES } from "../bench/src/results/prices.js";
import type { MatrixChart } from "../bench/src/results/result.js";
import { advice } from "./results-advice.js";
import { barsOf, type ClientBars, callsOf, lostAfterFreeze, nameOf } from "./results-picture.js";
import { BOTH, casesOf, type Published, type PublishedCheck } from "./results-publications.js";

// Pages show figures between <!-- bench: NAME --> and <!-- /bench -->. NAME is a block of this file or a scenario, whose table is
// then shown as it is. The figures come from bench/results, which `npm run bench -- publish` writes; then
// `npm run test:repo -- test/repo/project/results.test.ts -u` writes the pages.

const folder = resolve(import.meta.dirname, "../bench/results");

/** Published results, by scenario. */
type Results = ReadonlyMap<string, Published>;

/** The label that results of before 2026-11-29 have in place of {@link asAdvised}'s: their settings were chosen by this project. */
const FORMER_LABEL = "as its docs advise";
const LABEL = asAdvised("").slice(2);

/** The results in `bench/results`. */
export const results: Results = new Map(
  readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const text = readFileSync(join(folder, file), "utf8").replaceAll(FORMER_LABEL, LABEL);
      const result: Published = JSON.parse(text);
      return [result.scenario, result] as const;
    }),
);

const [scenarios, benchClients] = [await readScenarios(), await readClients()];

/** The columns of wide tables that their pages show. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  fluid: ["requests", "client", "p50 ms", "CPU us per command"],
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
/** What the servers of faults and zombie announce, which decides what fetch's connection pool does. */
const ANNOUNCED =
  "The server announces an idle limit of 310 s, as warmline-gateway does. Without such a header, `fetch`, undici and @upstash/redis close an idle socket after 4 s.";
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

const ADVISORS = ["memory", "keepalive", "established", "zombie"];

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
    return `${markdown(["", "warmline, one gateway", head], rows)}\n\nWith [documented options, set by us](docs/benchmarks.md#peers), ${withAdvice}. ${ANNOUNCED} Measured ${dateOf(result)}, ${runsOf(result)}; [all faults](docs/benchmarks.md#faults). The function has 6 s, and warmline's calls 2.5 s.\n`;
  },
  slower: (results) => {
    const [cold, load] = [resultOf(results, "cold"), resultOf(results, "throughput")];
    const beside = (result: Published, cells: readonly string[], title: string) =>
      ["warmline", "bare agent"].map(
        (client) => pick(result, cells, [client], [title])[0]![1]!.split(" (")[0]!,
      );
    const [start, startOfAgent] = beside(cold, [coldCase(cold)], "init and first ms");
    const [pipeline, pipelineOfAgent] = beside(load, [nodeOf(load), "pipeline of 1,000 GETs"], "commands/s");
    const warm = (client: string) =>
      pick(resultOrPart(results, "distance")!, ["0 ms, TLS"], [client], ["warm p50 ms"])[0]![1]!.split(
        " (",
      )[0]!;
    const writes = firstWrites(results);
    const write = (way: string) =>
      writes.rows
        .find((row) => row[0] === way)!
        [1 + writes.pauses.indexOf("frozen for 2 s")]!.split(" (")[0]!;
    const text = `**Where it is slower**: a cold start takes ${start} ms up to the first reply, with ten lines of \`http.Agent\` it takes ${startOfAgent} ms. Over TLS and at no distance, a warm command takes ${warm("warmline")} ms, over TCP with ioredis ${warm("ioredis (TCP)")} ms. An explicit pipeline of 1,000 GETs runs at ${inThousands(pipeline!)} thousand commands a second, with \`http.Agent\` at ${inThousands(pipelineOfAgent!)} thousand. The first write after a freeze of 2 s takes ${write("PING, then the write")} ms, with @upstash/redis ${write("@upstash/redis")} ms (a round trip of 20 ms, and a gateway set up to work as Upstash does): warmline first tests the connection by a \`PING\`, which counts as a command. [All figures](docs/performance.md).\n`;
    return text.replaceAll(`${BOTH} ms`, " ms (two publications)");
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
      ? "Two words: as shipped / [with documented options, set by us](#peers). "
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
    const isPublished = casesOf(zombie)
      .at(-1)!
      .some(({ arm }) => arm === "middlebox, nothing announced");
    const unpublished = isPublished
      ? ""
      : " A middlebox with a server that announces nothing is not published yet.";
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
      `Behind a middlebox that drops idle connections, warmline lost ${sum(({ shipped }) => shipped.lost)} first INCRs after a freeze. The others, as shipped, of ${bars[0]!.shipped.calls} each: ${counted(peers, ({ shipped }) => shipped.lost)}; with [documented options, set by us](#peers): ${counted(peers, ({ advised }) => advised?.lost)}. ${ANNOUNCED}${unpublished}`,
      `Over all faults, how often a write was applied again, warmline: ${sum(({ shipped }) => shipped.doubled ?? 0)}. The others, as shipped, of ${callsOf(peers)}, reads among them: ${counted(peers, ({ shipped }) => shipped.doubled)}; with documented options, set by us: ${counted(peers, ({ advised }) => advised?.doubled)}. A write may be applied again several times.`,
      `Where \`http.Agent\` wins: its size, [cold starts](performance.md#starts-and-load), and explicit pipelines: 1,000 GETs run at ${slower} (${[...new Set([zombie, faults, load].map(runsOf))].join("; ")}).\n`,
    ].join("\n");
  },
  // The two publications, and how many of their intervals overlap.
  publications: (results) => {
    const all = [...results.values()];
    const compared = all.flatMap(({ earlier }) => earlier ?? []);
    const starts = all.flatMap(({ startedAt, runs }) => runs?.startedAt ?? [startedAt]).sort();
    const last = all.find(({ runs }) => runs?.startedAt.includes(starts.at(-1)!))!;
    const end = Date.parse(starts.at(-1)!) + (last.seconds / (last.runs?.count ?? 1)) * 1_000;
    const hours = [starts[0]!, new Date(end).toISOString()].map((time) => time.slice(11, 16));
    const voided = all.reduce((sum, { runs }) => sum + (runs?.void ?? 0), 0);
    const short = (commits: readonly (string | undefined)[]) =>
      [...new Set(commits)].map((commit) => commit?.slice(0, 9)).join(", ");
    const overlapping = (kind: "ratios" | "figures") => {
      const total = compared.reduce((sum, each) => sum + each[kind].compared, 0);
      const apart = compared.reduce((sum, each) => sum + each[kind].apart, 0);
      return `${rounded(total - apart)} of ${rounded(total)}`;
    };
    const commits = [short(all.map(({ commit }) => commit)), short(compared.map(({ commit }) => commit))];
    return `The published results are of commit ${commits[0]}, measured from ${hours[0]} to ${hours[1]} UTC with ${voided} void runs; those of the first publication are of ${commits[1]}. The intervals of ${overlapping("ratios")} ratios and of ${overlapping("figures")} other figures overlap.\n`;
  },
  // The options from the clients themselves, what they cost from zombie.
  peers: (results) => {
    const rows = benchClients.flatMap(({ label, advised }) =>
      advised ? [[label, advised.settings, `[docs](${advised.link})`]] : [],
    );
    const zombie = resultOf(results, "zombie");
    const costs = ["honest server", "silent server"].map((arm) => {
      const lost = rows.flatMap(([label]) => {
        const [shipped, set] = [label!, asAdvised(label!)].map((each) => lostAfterFreeze(zombie, arm, each));
        return set! > shipped! ? [`${label} ${set} (as shipped ${shipped})`] : [];
      });
      return `from the ${arm} ${lost.join(", ")}`;
    });
    const calls = barsOf(zombie, resultOf(results, "faults"))[0]!.shipped.calls;
    return `${markdown(["client", "documented options, set by us", ""], rows)}\n\nFirst calls lost after a freeze, of ${calls}, where these options lose more: ${costs.join("; ")}.\n`;
  },
  advice: (results) => {
    const [memory, keepalive, established, zombie] = ADVISORS.map((name) => resultOf(results, name));
    const { head, rows, note } = advice(memory!, keepalive!, established!, zombie!);
    const lines = rows.map((row) => row.map(withSeparators));
    return `${markdown(head, lines)}\n\n${note}\n`;
  },
  costs: (results) => {
    const result = resultOf(results, "cost");
    const cases = [...new Set(rowsOf(result, ["invocation"]).map(([name]) => name!))];
    const titles = ["Lambda $", "Upstash $", "egress $"];
    const rows = cases.flatMap((name) =>
      pick(result, [name], COST_CLIENTS, titles).map((row) => [name, ...row]),
    );
    const { upstash } = result.settings.prices as typeof PRICES;
    const command = upstash.per100kCommands * 10;
    const note = `After an idle second, a SET on Upstash takes a PING more: about $${(2 * command).toFixed(1)} per million instead of $${command.toFixed(1)}. `;
    return markdown(["invocation", "client", ...titles], rows) + provenance(result, note);
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
        ...claims.map(({ text, article, here, reproduced, check }) => {
          return [text, article, withSeparators(here + earlierOf(check)), reproduced];
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
function loadTable(result: Published, columns: LoadColumns): string {
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
  return `${table}\n${markdown(["check", "here", "verdict"], rows)}\n${uncounted(results.get(name)!)}`;
}

/** Returns a sentence for the responses that the gateway's load generator could not tell apart, and so did not count. */
function uncounted(result: Published): string {
  const rows = result.scenario === "gateway" ? (result.data as { surplus: { values: number[] } }[]) : [];
  const runs = rows.flatMap(({ surplus }) => surplus.values).filter((surplus) => surplus > 0);
  const sum = rounded(runs.reduce((all, surplus) => all + surplus, 0));
  const times = runs.length === 1 ? "one run" : `${runs.length} runs`;
  return runs.length === 0
    ? ""
    : `\nNot counted: ${sum} responses in ${times}, which the load generator took for two.\n`;
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
function resultOrPart(results: Results, name: string): Published | undefined {
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

const actualOf = (check: PublishedCheck) => {
  const { actual, beside } = check;
  return withSeparators(
    (beside === undefined ? actual : `${actual}; beside it: ${beside}`) + earlierOf(check),
  );
};

/** Returns what the first publication has of a check that it decides differently. */
const earlierOf = ({ earlier }: PublishedCheck | Partial<PublishedCheck> = {}) =>
  earlier ? `. First publication: ${earlier.actual.split("; ")[0]}, ${earlier.verdict}` : "";

/** The first Node version of a result's table, whose cells begin with it. */
const nodeOf = ({ table }: Published) => table.rows[0]!.cells[0]!;
/** The case of a client that is created in the init phase, of the first Node version. */
const coldCase = (cold: Published) => `${/^Node \S+/.exec(nodeOf(cold))![0]} init, as shipped, 0 ms`;

/** The table of outcomes in the result of the scenario faults. */
function faultChart({ charts }: Published): MatrixChart {
  const chart = charts.find((each): each is MatrixChart => each.kind === "matrix");
  if (!chart) throw new Error("bench/results/faults.json has no table of outcomes");
  return chart;
}

/** Returns the worst outcome of a fault for a client; empty if the fault does not concern the client. */
function kindAt(result: Published, fault: string, label: string): string {
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
function outcomes(result: Published, fault: string, clients: readonly (readonly string[])[]): string[][] {
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

function resultOf(results: Results, scenario: string): Published {
  const result = results.get(scenario);
  if (!result) throw new Error(`bench/results has no result of ${scenario}`);
  return result;
}

const rowAt = ({ table }: Published, begin: readonly string[]) =>
  table.rows.findIndex(({ cells }) => begin.every((cell, column) => cells[column] === cell));
const hasRow = (result: Published, begin: readonly string[]) => rowAt(result, begin) >= 0;

/** Returns the rows of a case for some clients: the label, then the columns with these titles. The case's cells come first in a row. */
function pick(
  result: Published,
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
function rowsOf({ table, scenario }: Published, titles: readonly string[]): string[][] {
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
const runsOf = ({ runs }: Published) =>
  runs === undefined || runs.count === 1 ? "1 run" : `${runs.count} runs`;

const dateOf = ({ startedAt }: Pick<Published, "startedAt">) => startedAt.slice(0, 10);

/** The machine of a result. */
const machineOf = ({ machine: { cpu, cores, node } }: Published) =>
  `${cpu}, ${cores} cores, Node ${node.slice(1)}`;

/** The versions of the clients of a result. */
const versionsOf = ({ versions }: Published) =>
  Object.entries(versions)
    .filter(([name]) => !name.startsWith("warmline"))
    .map(([name, version]) => `, ${name} ${version}`)
    .join("");

/** A note, then the date, the commit if it has been recorded, the machine, the versions and the command of a result. */
function provenance(result: Published, note = ""): string {
  const { commit: own, earlier } = result;
  const first = earlier ? `; first publication: commit ${earlier.commit.slice(0, 9)}` : "";
  const commit = own === undefined ? "" : ` (commit ${own.slice(0, 9)}${first})`;
  const numbers = `\`${result.command}\` ([all numbers](${link(result.scenario)}))`;
  return `\n\n${note}Measured on ${dateOf(result)}${commit}, ${runsOf(result)}, ${machineOf(result)}${versionsOf(result)}: ${numbers}.\n`;
}

const link = (scenario: string) =>
  `https://github.com/warmline/warmline/blob/main/bench/results/${scenario}.json`;

const BOTH_NOTE =
  "The intervals of the two publications have no number in common: from the lower end of the one to the upper end of the other.";

const BLOCK = /(<!-- bench: ([a-z-]+) -->\n).*?(<!-- \/bench -->)/gs;

/**
 * Returns a page with the blocks of the bench's figures filled in.
 * @throws if there is neither a block nor a scenario of a name, or if a result lacks a row or column that a block shows
 */
export function withResults(page: string, from = results): string {
  return page.replace(BLOCK, (_, begin, name, end) => {
    const text = blockOf(name, from);
    const note = text.includes(BOTH) ? `\n${BOTH} ${BOTH_NOTE}\n` : "";
    return text === "" ? begin + end : `${begin}\n${text}${note}\n${end}`;
  });
}

/** Returns a page without its blocks of the bench's figures; the number of lines stays the same. */
export const withoutResults = (page: string): string =>
  page.replace(BLOCK, (block) => block.replace(/[^\n]/g, ""));

/** The names of the blocks on a page. */
export const blocksOn = (page: string): string[] =>
  [...page.matchAll(/<!-- bench: ([a-z-]+) -->/g)].map(([, name]) => name!);

import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type BenchClient, type Endpoint, faultClients } from "../../../bench/src/bench-client.js";
import { claimOf } from "../../../bench/src/checks.js";
import type { MatrixChart, Result } from "../../../bench/src/result.js";
import { buildRow } from "../../../bench/src/run-scenario.js";
import type { Context } from "../../../bench/src/scenario.js";
import idleScenario from "../../../bench/src/scenarios/idle.js";
import { blocksOn, results, withoutResults, withResults } from "../../../scripts/results.js";
import { schemaErrors } from "../../support/bench.js";

const root = resolve(import.meta.dirname, "../../..");
const pageOf = (name: string) => resolve(root, name);
const textOf = (name: string) => readFileSync(pageOf(name), "utf8");
const pages = [
  "README.md",
  ...["gateway", "compat", "adapters", "bench", "testbed"].map((folder) => `${folder}/README.md`),
  "skills/warmline/SKILL.md",
  "llms.txt",
  ...readdirSync(pageOf("docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
];

test.each(pages.filter((name) => blocksOn(textOf(name)).length > 0))(
  "the figures of %s are those of bench/results",
  async (name) => {
    await expect(withResults(textOf(name))).toMatchFileSnapshot(pageOf(name));
  },
);

test("README shows faults and costs, and docs/benchmarks.md lists all scenarios", () => {
  expect(blocksOn(textOf("README.md"))).toEqual(["faults", "costs"]);
  expect(blocksOn(textOf("docs/benchmarks.md"))).toEqual(["scenarios", "articles", "all-faults"]);
});

test("a page whose figure was changed by hand differs from its results", () => {
  const page = withResults(readFileSync(pageOf("README.md"), "utf8"));
  const changed = page.replace("| right |", "| wrong |");
  expect(changed).not.toBe(page);
  expect(withResults(changed)).toBe(page);
});

test.each([...results.values()])("bench/results has a full run of $scenario on an idle machine", (result) => {
  expect(schemaErrors(result)).toEqual([]);
  expect(result.settings.quick).toBe(false);
  expect(result.load.warning).toBeUndefined();
});

describe("blocks of other results", () => {
  const published = results.get("faults")!;
  const table = (columns: string[], ...rows: string[][]): Result["table"] => ({
    columns: columns.map((title) => ({ title })),
    rows: rows.map((cells) => ({ cells })),
  });
  const measured = (scenario: string, own: Partial<Result>) =>
    new Map([[scenario, { ...published, scenario, checks: [], ...own }]]);
  const block = (name: string, from?: Map<string, Result>) =>
    withResults(`<!-- bench: ${name} -->\n<!-- /bench -->`, from).split("\n").slice(2, -2).join("\n");

  test("a scenario's block shows its table, its checks and where they come from", () => {
    const check = { expectation: "no call is lost", verdict: "yes", actual: "0 of 1200" } as const;
    const from = measured("flood", {
      table: table(["phase", "p50 ms"], ["before", "0.28 (0.20 to 0.31)"]),
      checks: [check],
    });
    const text = block("flood", from);
    expect(text).toContain("| before | 0.28 (0.20 to 0.31) |\n\nMeasured on 2026-");
    expect(text).toContain("/bench/results/flood.json)");
    expect(text).toContain("| no call is lost | 0 of 1,200 | yes |");
  });

  test("a block names the commit of its result beside the date, if the result has one", () => {
    const text = (commit: object) =>
      block(
        "flood",
        measured("flood", { table: table(["phase"], ["before"]), commit: undefined, ...commit }),
      );
    const date = published.startedAt.slice(0, 10);
    expect(text({ commit: `${"0123456789".repeat(4)}-dirty` })).toContain(
      `Measured on ${date} (commit 012345678-dirty), `,
    );
    expect(text({})).toContain(`Measured on ${date}, `);
  });

  test("a scenario without a published run is named as not yet run", () => {
    expect(block("flood", new Map())).toBe("Not yet run in full: `npm run bench -- flood` measures it.");
    expect(block("scenarios", measured("idle", {}))).toMatch(
      /\| `idle` \| How .*\? \| \[2026-.*\(.*idle\.json\) \|\n\| `first-write` \| .*\? \| not yet run \|/,
    );
  });

  test("an article's claim is shown with its verdict, and one without a run as not yet run", () => {
    const article = claimOf("envoy", "timeWait");
    const check = {
      expectation: "fewer sockets",
      verdict: "no",
      actual: "66%",
      beside: "kept: 99%",
      article,
    } as const;
    const row = "| A proxy reduces the sockets in TIME_WAIT | 95.6%, 70,145 to 3,108 |";
    expect(block("articles", measured("sockets", { checks: [check] }))).toContain(
      `${row} fewer sockets: 66%; beside it: kept: 99% | no |`,
    );
    expect(block("articles", new Map())).toContain(`${row} Scenario: time-wait | not yet run |`);
    expect(block("articles", new Map())).toContain(`| **${article.title}** |  |  |  |`);
  });

  const clients = ["warmline", "@upstash/redis", "bare agent", "ioredis (TCP)", "node-redis (TCP)"].map(
    (label) => ({ name: label, label }),
  );
  const context = { settings: { invocations: 1, rounds: 1 } } as Context;
  /** A result of idle with the table of the scenario's own report: 1.5 ms back to back, 2.5 ms after a freeze. */
  const idle = (...frozenS: number[]) => {
    const rows = [0, ...frozenS].flatMap((idleS) =>
      clients.flatMap((client) =>
        ["get", "set"].map((command) =>
          buildRow({ client, command, idleS, frozen: idleS > 0 }, [
            { latencies: [idleS > 0 ? 2.5 : 1.5], failed: 0, longestPauseS: idleS },
          ]),
        ),
      ),
    );
    return measured("idle", { table: idleScenario.report(rows as never, context).table });
  };

  test("README's table of costs has a first write and cached reads once they are measured", () => {
    const others = [...results].filter(([scenario]) => !["idle", "near"].includes(scenario));
    expect(block("costs", new Map(others))).not.toMatch(/frozen|ten reads/);
    const near = measured("near", {
      table: table(["reads", "commands"], ["warmline", "10.0"], ["warmline/near", "1.4"]),
    });
    const text = block("costs", new Map([...others, ...idle(60), ...near]));
    expect(text).toMatch(/commands\/s \| SET after 60 s frozen, ms \|\n/);
    expect(text).toMatch(/\n\| ioredis \(TCP\) \|.*\| 2\.50.* \|\n/);
    expect(text).toContain(
      "Commands sent for ten reads in each invocation: warmline: 10.0; warmline/near: 1.4.",
    );
    expect(text).toMatch(/all numbers: \[cold\]\(.*\[throughput\]\(.*\[idle\]\(.*\[near\]\(/);
  });

  test("a cell of the faults has a client's outcome as shipped, and the one with a timeout where it differs", () => {
    const peer = { ...clients[1]!, timeoutSettings: "signal" } as BenchClient;
    const [, tuned] = faultClients(peer, {} as Endpoint);
    const [chart] = published.charts.filter((each): each is MatrixChart => each.kind === "matrix");
    const shipped = chart!.columns.filter((label) => !label.endsWith("tuned for faults"));
    const rows = chart!.rows.map(({ title, cells }) => ({
      title,
      cells: shipped.map((label) => cells[chart!.columns.indexOf(label)]!),
    }));
    const without = measured("faults", { charts: [{ ...chart!, columns: shipped, rows }] });
    const from = measured("faults", {
      charts: [
        {
          ...chart!,
          columns: [...shipped, tuned!.label],
          rows: rows.map(({ title, cells }) => ({
            title,
            cells: [...cells, { kind: "rejected" as const, text: "" }],
          })),
        },
      ],
    });
    for (const [name, fault] of [
      ["faults", "GET, silent server"],
      ["all-faults", "get, no response ever"],
    ] as const) {
      const [before, after] = [block(name, without), block(name, from)];
      expect(after.split("\n")[0]).toBe(before.split("\n")[0]);
      expect(before).not.toContain("Two words");
      expect(after).toContain("Two words: as shipped / with a timeout and no retries. Measured on ");
      const line = after.split("\n").find((each) => each.startsWith(`| ${fault} `))!;
      // @upstash/redis differs with a timeout, the bare agent was not measured with one.
      expect(line).toContain(" | rejected | **hung** / rejected | **hung** | ");
    }
    expect(block("faults", from)).toMatch(/\| INCR, a proxy's 503 \|( rejected \|)+ right \| rejected \|/);
  });

  test("README's table of costs has a peer's tuned number where that is the better one, and names it", () => {
    const rows = (scenario: string, ...more: string[][]) => {
      const { table } = results.get(scenario)!;
      const added = more.map((cells) => ({
        cells: table.columns.map(({ title }, at) => cells[at] ?? (title.endsWith("ms") ? "7.0" : "")),
      }));
      const others = table.rows.filter(({ cells }) => !cells.some((cell) => cell.endsWith(", tuned")));
      return measured(scenario, { table: { ...table, rows: [...others, ...added] } });
    };
    const ofLoad = (inFlight: string, perSecond: string, cpu: string) => [
      ...[results.get("throughput")!.table.rows[0]!.cells[0]!, inFlight, "node-redis (TCP), tuned"],
      ...[perSecond, "", "", "", "", "", cpu],
    ];
    const starts = results.get("cold")!.table.rows.map(({ cells }) => cells[0]!);
    const ofStart = [starts.find((name) => name.endsWith("init, as shipped, 0 ms"))!, "ioredis (TCP), tuned"];
    const lineOf = (client: string, ...from: ReadonlyMap<string, Result>[]) =>
      block("costs", new Map([...results, ...from.flatMap((each) => [...each])]))
        .split("\n")
        .find((line) => line.startsWith(`| ${client} |`))!
        .split(" | ");
    const tuned = [
      rows("cold", ofStart),
      rows("throughput", ofLoad("1 in flight", "1", "1.0"), ofLoad("50 in flight", "1", "1.0")),
    ];
    expect(lineOf("ioredis (TCP)", ...tuned)[1]).toBe("7.0, tuned");
    const [, start, cpu, perSecond] = lineOf("node-redis (TCP)", ...tuned);
    expect([start, cpu, perSecond]).toEqual([
      lineOf("node-redis (TCP)")[1],
      "1.0, tuned",
      lineOf("node-redis (TCP)")[3],
    ]);
    // The published run has ioredis tuned: more commands per second, and more CPU time for one at a time.
    const [, , one, many] = lineOf("ioredis (TCP)");
    expect([one, many]).toEqual([expect.not.stringMatching("tuned"), expect.stringMatching(/\), tuned \|$/)]);
    expect(block("starts", new Map([...results, ...tuned[0]!]))).toContain(
      "\n| ioredis (TCP), tuned | 7.0 |",
    );
  });

  test("an unknown block, fault, row or column, and another machine, are refused by name", () => {
    expect(() => block("nothing")).toThrow("There is no block or scenario nothing.");
    const near = measured("near", { table: table(["reads"]) });
    expect(() => block("costs", new Map([...results, ...near]))).toThrow(
      "bench/results/near.json has no column commands",
    );
    expect(() => block("costs", new Map([...results, ...idle()]))).toThrow(
      "bench/results/idle.json has no row SET, 60 s frozen, warmline",
    );
    expect(() => block("faults", measured("faults", { charts: [] }))).toThrow(
      "bench/results/faults.json has no table of outcomes",
    );
    const elsewhere = measured("near", {
      table: table(["reads", "commands"]),
      machine: { ...published.machine, cores: 64 },
    });
    expect(() => block("costs", new Map([...results, ...elsewhere]))).toThrow(
      "bench/results/near.json has another machine or version than cold",
    );
  });
});

describe("figures outside the blocks", () => {
  const NUMBER = String.raw`\d[\d,]*(?:\.\d+)?`;
  /** Figures that only a measurement has: fractions, shares, ratios, rates. */
  const MEASURED = new RegExp(
    [
      String.raw`${NUMBER} ?(?:us|µs|%)(?!\w)`,
      String.raw`\d\.\d+ ?(?:ms|s|KB|MB)\b`,
      String.raw`(?<![\w.])${NUMBER} ?x\b`,
      String.raw`${NUMBER}(?:/s| (?:commands|requests) (?:per|a) second)\b`,
      String.raw`\bper cent\b`,
      String.raw`\b(?:twice|(?:three|four|five|ten|${NUMBER}) times|half|a (?:third|quarter|tenth)) (?:as (?:fast|slow|long|many|much|large)|the (?:time|CPU|size|memory)|faster|slower|less|more)\b`,
    ].join("|"),
  );
  /** Figures that may be a setting, unless the sentence says that something was measured. */
  const QUANTITY = new RegExp(String.raw`${NUMBER} ?(?:ms|s|KB|MB|bytes|seconds|minutes)\b`);
  const MEASURING =
    /\b(?:took|takes|measured|costs?|used|about|some|median|percentile|p50|p99|CPU|saves?d?|reduced|raised|faster|slower)\b/;

  /** Statements that the patterns find, but that state a setting, a model or an article's result. */
  const STATED: Readonly<Record<string, readonly string[]>> = {
    "docs/benchmarks.md": [
      "warns above 10%",
      "the same timeline, ten times faster",
      "50 requests a second of ten GETs each",
      "twice as many connections as the gateway allows",
      "The article's 75 us",
      "The article measured 6 to 7 ms",
      "slices of 20 ms",
    ],
    "docs/connections.md": [
      "four times the time that connecting took",
      "open for twice as long as before",
      "four times as long as the last connection took",
    ],
    "docs/ioredis.md": ["server unreachable for 2.5 s"],
    "docs/performance.md": ["slices of 150 ms until", "differ by at most 5%"],
    "docs/scale.md": ["1,000/s x 0.9 s = 900", "60 invocations a second", "In the example, 900 connections"],
  };

  /** Returns the sentences of a page's text, without code and the blocks of results. */
  function sentencesOf(page: string): string[] {
    const prose = withoutResults(page)
      .replace(/^( *)```.*?^ *```$/gms, "")
      .replace(/`[^`\n]*`/g, "`code`")
      .replace(/95% (?=interval)/g, "");
    return prose
      .split(/\n(?=\s*(?:[-*|#]|\d+\.|$))/)
      .flatMap((part) =>
        part
          .trim()
          .replace(/\s*\n\s*/g, " ")
          .split(/(?<=[.:;]) /),
      )
      .filter((sentence) => sentence !== "");
  }
  const figuresIn = (page: string) =>
    sentencesOf(page).filter(
      (sentence) => MEASURED.test(sentence) || (QUANTITY.test(sentence) && MEASURING.test(sentence)),
    );

  // The table of commands is generated from the specs.
  test.each(pages.filter((name) => name !== "docs/commands.md"))("%s states no figure of its own", (name) => {
    const stated = STATED[name] ?? [];
    const found = figuresIn(textOf(name));
    expect(found.filter((sentence) => !stated.some((words) => sentence.includes(words)))).toEqual([]);
    // An entry that no sentence needs any more is removed.
    expect(stated.filter((words) => !found.some((sentence) => sentence.includes(words)))).toEqual([]);
  });

  test.each([
    "It starts in about 50 ms.",
    "SET took 6.9 us of CPU.",
    "| median of active connections | 0.28 ms |",
    "The import is 33% faster.",
    "It serves 54,469 requests per second.",
    "With 50 connections it is 1.21x webdis.",
    "Decoding takes three times as long.",
  ])("a figure is found: %s", (sentence) => {
    expect(figuresIn(`Text.\n\n${sentence}\n`)).toEqual([sentence]);
  });

  test.each([
    "Default: 10,000 ms.",
    "Values of more than 64 KB are shown in part.",
    "`0.28 ms` in code",
    "<!-- bench: near -->\n1.2x\n<!-- /bench -->",
  ])("a setting, code and a block are not: %s", (text) => {
    expect(figuresIn(text)).toEqual([]);
  });
});

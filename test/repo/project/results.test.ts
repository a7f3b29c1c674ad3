import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { type BenchClient, type Endpoint, faultClients } from "../../../bench/src/client/bench-client.js";
import { claimOf } from "../../../bench/src/results/checks.js";
import type { MatrixChart, Result } from "../../../bench/src/results/result.js";
import { blocksOn, results, withoutResults, withResults } from "../../../scripts/results.js";
import { barsOf, picture } from "../../../scripts/results-picture.js";
import { schemaErrors } from "../../support/bench.js";
import { measured, table } from "../../support/published.js";

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

test("README shows faults and what is slower, and docs/benchmarks.md lists all scenarios", () => {
  expect(blocksOn(textOf("README.md"))).toEqual(["faults", "slower"]);
  expect(blocksOn(textOf("docs/benchmarks.md"))).toEqual([
    "picture",
    "advice",
    "peers",
    "articles",
    "all-faults",
    "scenarios",
  ]);
});

test("the picture of docs/benchmarks.md is that of bench/results", async () => {
  const bars = barsOf(results.get("zombie")!, results.get("faults")!);
  expect(bars.length).toBeGreaterThan(6);
  await expect(picture(bars)).toMatchFileSnapshot(pageOf("docs/benchmarks.svg"));
});

test("a page whose figure was changed by hand differs from its results", () => {
  const page = withResults(readFileSync(pageOf("README.md"), "utf8"));
  const changed = page.replace("| right, once |", "| wrong |");
  expect(changed).not.toBe(page);
  expect(withResults(changed)).toBe(page);
});

test.each([...results.values()])(
  "bench/results has runs of $scenario, on an idle machine and a commit without changes",
  (result) => {
    expect(schemaErrors(result)).toEqual([]);
    expect(result.settings.quick).toBe(false);
    expect(result.load.warning).toBeUndefined();
    expect(result.runs!.seeds).toHaveLength(result.runs!.count);
    expect(result.commit).toMatch(/^[0-9a-f]{40}$/);
  },
);

// A shallow clone, or an archive without .git, has no whole history.
const git = (...args: string[]) => spawnSync("git", ["-C", root, ...args], { encoding: "utf8" }).stdout ?? "";
const complete = git("rev-parse", "--is-shallow-repository").trim() === "false";

test("results have no histograms, and take less than 2 MB", () => {
  const folder = pageOf("bench/results");
  const texts = readdirSync(folder).map((name) => readFileSync(resolve(folder, name), "utf8"));
  expect(texts.filter((text) => /histogram/i.test(text))).toEqual([]);
  expect(texts.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(2e6);
});

test(`results name commits of the history${complete ? "" : ", which is not whole here: not tested"}`, () => {
  if (!complete) return;
  const history = new Set(git("rev-list", "HEAD").split("\n"));
  const missing = [...results.values()].filter(({ commit }) => !history.has(commit!));
  expect(missing.map(({ scenario, commit }) => `${scenario}: ${commit}`)).toEqual([]);
});

describe("blocks of other results", () => {
  const published = results.get("faults")!;
  const block = (name: string, from?: ReadonlyMap<string, Result>) =>
    withResults(`<!-- bench: ${name} -->\n<!-- /bench -->`, from).split("\n").slice(2, -2).join("\n");

  test("a scenario's block shows its table, its checks and where they come from", () => {
    const check = { expectation: "no call is lost", verdict: "yes", actual: "0 of 1200" } as const;
    const from = measured("idle", {
      table: table(["phase", "p50 ms"], ["before", "0.28 (0.20 to 0.31)"]),
      checks: [check],
    });
    const text = block("idle", from);
    expect(text).toContain("| before | 0.28 (0.20 to 0.31) |\n\nMeasured on 2026-");
    expect(text).toContain("/bench/results/idle.json)");
    expect(text).toContain("| no call is lost | 0 of 1,200 | yes |");
  });

  test("a block names the commit of its result beside the date, if the result has one", () => {
    const text = (commit: object) =>
      block("idle", measured("idle", { table: table(["phase"], ["before"]), commit: undefined, ...commit }));
    const date = published.startedAt.slice(0, 10);
    expect(text({ commit: `${"0123456789".repeat(4)}-dirty` })).toContain(
      `Measured on ${date} (commit 012345678-dirty), 1 run, `,
    );
    expect(text({})).toContain(`Measured on ${date}, 1 run, `);
  });

  test("a scenario without a published run is named as not yet run", () => {
    expect(block("idle", new Map())).toBe("Not yet run in full: `npm run bench -- idle` measures it.");
    expect(block("scenarios", measured("idle", {}))).toMatch(
      /\| `idle` \| How .*\? \| \[2026-.*\(.*idle\.json\), 1 run \|\n\| `fluid` \| .*\? \| not yet run \|/,
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
      `${row} fewer sockets: 66% | no |`,
    );
    expect(block("articles", new Map())).toContain(`${row} Scenario: time-wait | not yet run |`);
    expect(block("articles", new Map())).toContain(`| **${article.title}** |  |  |  |`);
  });

  test("the block of first writes has the medians of writes over TLS, by pause", () => {
    const row = (pause: string, way: string, p50: string) => [pause, way, "1", p50];
    const rows = [
      row("back to back", "exactly-once", "1.0"),
      row("back to back, TLS", "exactly-once", "2.0"),
      row("back to back, TLS", "warmline, SET", "2.1"),
      row("back to back, TLS", "fetch, GET", "2.2"),
      row("back to back, TLS", "fetch, SET", "2.3"),
      row("frozen for 240 s, TLS", "exactly-once", "3.0"),
    ];
    const result = measured("first-write", {
      table: table(["pause", "way", "calls", "p50 ms"], ...rows),
      settings: { rttMs: 20 } as unknown as Result["settings"],
    });
    expect(block("first-write", result)).toContain(
      [
        "| p50 ms of a write | back to back | frozen for 240 s |",
        "| --- | --- | --- |",
        "| exactly-once | 2.0 | 3.0 |",
        "| fetch | 2.3 |  |",
        "",
        "Over TLS, with a round trip of 20 ms. Measured on ",
      ].join("\n"),
    );
    expect(block("first-write", new Map())).toContain("Not yet run in full");
  });

  describe("cells of the faults", () => {
    const label = "@upstash/redis";
    const [, tuned] = faultClients(
      { label, advised: { settings: "signal", link: "" } } as BenchClient,
      {} as Endpoint,
    );
    const [chart] = published.charts.filter((each): each is MatrixChart => each.kind === "matrix");
    const shipped = chart!.columns.filter((each) => !/as its docs advise|deadline/.test(each));
    /** The published outcomes of the clients as shipped, and some outcome for all faults of one client more. */
    const outcomesWith = (kind: "rejected" | "wrong", ...more: string[]) => {
      const columns = [...shipped, ...more];
      const rows = chart!.rows.map(({ title, cells }) => ({
        title,
        cells: columns.map((each) => cells[chart!.columns.indexOf(each)]!),
      }));
      for (const { cells } of rows) cells.fill({ kind, text: "" }, shipped.length);
      return measured("faults", { charts: [{ ...chart!, columns, rows }] });
    };
    const lineOf = (text: string, fault: string) =>
      text.split("\n").find((line) => line.startsWith(`| ${fault} `))!;

    test("a client with a time limit adds no column", () => {
      const before = block("all-faults", outcomesWith("rejected"));
      const after = block("all-faults", outcomesWith("rejected", tuned!.label));
      expect(after.split("\n")[0]).toBe(before.split("\n")[0]);
      expect(before).not.toContain("Two words");
    });

    test("README's table names who has which outcome as shipped, the worst last", () => {
      const text = block("faults", outcomesWith("wrong"));
      expect(lineOf(text, "The reply to an `INCR` is lost. How often does it count?")).toBe(
        "| The reply to an `INCR` is lost. How often does it count? | right, once | an error, in time: http.Agent, undici, node-redis<br>**twice**: @upstash/redis, ioredis |",
      );
      // A proxy speaks HTTP.
      expect(lineOf(text, "A proxy answers 503 in place of Redis. What does an `INCR` get?")).not.toMatch(
        /redis \||ioredis/,
      );
    });

    test("the long table shows both outcomes where they differ", () => {
      const text = block("all-faults", outcomesWith("rejected", tuned!.label));
      expect(text).toContain("Two words: as shipped / [as its docs advise](#peers). Measured on ");
      expect(lineOf(text, "get, no response ever")).toContain(
        " | rejected | **hung** / rejected | **hung** | ",
      );
    });
  });

  test("an unknown block, fault, row or column is refused by name", () => {
    expect(() => block("nothing")).toThrow("There is no block or scenario nothing.");
    expect(() => block("faults", measured("faults", { charts: [] }))).toThrow(
      "bench/results/faults.json has no table of outcomes",
    );
    const unnamed = measured("throughput", { table: table(["node"], ["Node 20"]) });
    expect(() => block("slower", new Map([...results, ...unnamed]))).toThrow(
      "bench/results/throughput.json has no column commands/s",
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
      "The article's 75 us",
      "The article measured 6 to 7 ms",
      "slices of 20 ms",
    ],
    "docs/connections.md": [
      "for at most 3% of the requests",
      "four times the time that connecting took",
      "open for twice as long as before",
      "four times as long as the last connection took",
    ],
    "docs/ioredis.md": ["server unreachable for 2.5 s"],
    "docs/performance.md": ["slices of 40 ms until", "differ by at most 5%"],
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

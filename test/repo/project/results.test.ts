import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { blocksOn, results, withoutResults, withResults } from "../../../scripts/results.js";
import { barsOf, picture } from "../../../scripts/results-picture.js";
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

test.each(pages.filter((name) => blocksOn(textOf(name)).length > 0))("%s shows the results", async (name) => {
  await expect(withResults(textOf(name))).toMatchFileSnapshot(pageOf(name));
});

test("README shows faults and what is slower, and docs/benchmarks.md lists all scenarios", () => {
  expect(blocksOn(textOf("README.md"))).toEqual(["faults", "slower"]);
  expect(blocksOn(textOf("docs/benchmarks.md"))).toEqual([
    "picture",
    "advice",
    "costs",
    "peers",
    "articles",
    "all-faults",
    "publications",
    "scenarios",
  ]);
});

test("the picture of docs/benchmarks.md is that of bench/results", async () => {
  const bars = barsOf(results.get("zombie")!, results.get("faults")!);
  expect(bars.length).toBeGreaterThan(6);
  await expect(picture(bars)).toMatchFileSnapshot(pageOf("docs/benchmarks.svg"));
  await expect(picture(bars, true)).toMatchFileSnapshot(pageOf("docs/benchmarks-narrow.svg"));
});

test.each([...results.values()])("runs of $scenario are of an idle machine and a clean commit", (result) => {
  expect(schemaErrors(result)).toEqual([]);
  expect(result.settings.quick).toBe(false);
  expect(result.load.warning).toBeUndefined();
  expect(result.runs!.seeds).toHaveLength(result.runs!.count);
  expect(result.commit).toMatch(/^[0-9a-f]{40}$/);
});

test("the runs of all published results together took at most 90 minutes", () => {
  const seconds = [...results.values()].reduce((sum, { seconds }) => sum + seconds, 0);
  expect(seconds).toBeLessThanOrEqual(90 * 60);
});

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
    "README.md": ["Each call ends within 2.5 s"],
    "docs/getting-started.md": ["a call ends within 2.5 s", "a call ends within 2.5 s, less"],
    "docs/ioredis.md": ["server unreachable for 2.5 s"],
    "docs/performance.md": ["thousands of commands a second"],
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

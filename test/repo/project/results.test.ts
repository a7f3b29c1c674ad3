import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { blocksOn, results, withResults } from "../../../scripts/results.js";
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
    "costs",
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
  await expect(picture(bars, true)).toMatchFileSnapshot(pageOf("docs/benchmarks-narrow.svg"));
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

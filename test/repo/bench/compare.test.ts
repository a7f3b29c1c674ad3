import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { compareRuns } from "../../../bench/src/results/compare.js";
import type { Check, Result, Verdict } from "../../../bench/src/results/result.js";
import { fullResultsAt } from "../../../bench/src/results/result-file.js";

const result = (scenario: string, verdicts: Readonly<Record<string, Verdict>>, quick = false) =>
  ({
    format: 3,
    scenario,
    settings: { quick },
    checks: Object.entries(verdicts).map(
      ([expectation, verdict]): Check => ({ expectation, verdict, actual: "1.2x" }),
    ),
  }) as unknown as Result;

const compare = (a: readonly Result[], b: readonly Result[]) =>
  compareRuns({ name: "first", results: a }, { name: "second", results: b });

describe("two runs", () => {
  test("two runs agree if every check that is decided in both has the same verdict", () => {
    const { agrees, counts, text } = compare(
      [result("idle", { fast: "yes", small: "no" }), result("fleet", { fast: "yes" })],
      [result("idle", { fast: "yes", small: "no" }), result("fleet", { fast: "undecided" })],
    );
    expect(agrees).toBe(true);
    expect(counts).toEqual({ agreeing: 2, contradicted: 0, undecidedInOne: 1 });
    expect(text).toMatch(/^2 checks are yes or no in both runs, and 2 of them agree\.$/m);
    expect(text).toMatch(
      /^Undecided in one run:\n {2}fleet: fast\n {4}first: PASS, 1.2x\n {4}second: UNDECIDED/m,
    );
  });

  test("two runs differ by a yes that is a no in the other, and it is printed", () => {
    const { agrees, counts, text } = compare(
      [result("idle", { fast: "yes", small: "yes" })],
      [result("idle", { fast: "no", small: "yes" })],
    );
    expect(agrees).toBe(false);
    expect(counts).toEqual({ agreeing: 1, contradicted: 1, undecidedInOne: 0 });
    expect(text).toContain("2 checks are yes or no in both runs, and 1 of them agree.");
    expect(text).toMatch(/^ {2}idle: fast\n {4}first: PASS, 1.2x\n {4}second: FAIL, 1.2x$/m);
    expect(text).not.toContain("small");
  });

  test("two runs differ if a check is in one of them alone", () => {
    const { agrees, text } = compare([result("idle", { fast: "yes" })], [result("idle", {})]);
    expect(agrees).toBe(false);
    expect(text).toMatch(/^In one run alone:\n {2}idle: fast\n.*\n {4}second: not measured$/m);
  });

  test("the last one of two results of a scenario counts", () => {
    const twice = [result("idle", { fast: "no" }), result("idle", { fast: "yes" })];
    expect(compare(twice, [result("idle", { fast: "yes" })]).agrees).toBe(true);
  });
});

describe("the results of a full run", () => {
  const folder = mkdtempSync(join(tmpdir(), "warmline-compare-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  const write = (name: string, value: unknown) => {
    const file = join(folder, name);
    mkdirSync(join(file, ".."), { recursive: true });
    writeFileSync(file, JSON.stringify(value));
    return file;
  };

  test("the results are read from one file of all scenarios, or from a folder of files", () => {
    const all = { format: 3, results: [result("idle", {}), result("fleet", {})], skipped: [] };
    const scenarios = (path: string) => fullResultsAt(path).map(({ scenario }) => scenario);
    expect(scenarios(write("all.json", all))).toEqual(["idle", "fleet"]);
    write("run/idle.json", result("idle", {}));
    write("run/fleet.json", result("fleet", {}));
    expect(scenarios(join(folder, "run"))).toEqual(["fleet", "idle"]);
  });

  test("a quick run, an empty folder and a missing file are refused by name", () => {
    const quick = write("quick/idle.json", result("idle", {}, true));
    expect(() => fullResultsAt(quick)).toThrow("quick run of idle, which has no verdicts");
    mkdirSync(join(folder, "empty"));
    expect(() => fullResultsAt(join(folder, "empty"))).toThrow("empty has no results");
    expect(() => fullResultsAt(join(folder, "none.json"))).toThrow("none.json is not readable as results");
  });
});

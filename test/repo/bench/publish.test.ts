import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { scenarios } from "../../../bench/src/registry.js";
import { compareResults, repeatedText } from "../../../bench/src/results/compare.js";
import { calibrate, slowdownOf } from "../../../bench/src/results/pace.js";
import type { Check, Result, Verdict } from "../../../bench/src/results/result.js";
import type { Run } from "../../../bench/src/runner/command-line.js";
import { type Publication, publish } from "../../../bench/src/runner/publish.js";

const folder = mkdtempSync(join(tmpdir(), "warmline-publish-"));
afterAll(() => rmSync(folder, { recursive: true }));

const runOf = (name: string, missing?: () => string) =>
  ({
    ...{ scenario: { name, missing, plannedS: 60 }, settings: {}, clients: [], parts: [] },
  }) as unknown as Run;
const commit = "0123456789".repeat(4);
const load = { before: 0.01, others: 0.02 };
const warning = "The machine was busy.";

/** Publishes scenarios into a folder of that name. `host` returns what is unusual about the n-th run of a scenario. */
async function published(
  name: string,
  more: Partial<Publication> = {},
  host: (n: number, scenario: string) => { pace?: number; busy?: boolean; error?: string } = () => ({}),
) {
  const [order, said]: [string[], string[]] = [[], []];
  const skipped = await publish({
    ...{
      runs: ["idle", "near"].map((each) => runOf(each)),
      count: 3,
      seed: 7,
      again: false,
      commit,
      trial: false,
    },
    to: join(folder, name),
    folder: join(folder, name, "runs"),
    perform: async ({ scenario, run, report }) => {
      if (report) {
        const result = { scenario, commit, table: { columns: [], rows: [] }, checks: [] };
        return { result: { ...result, data: [{ files: report.length }] } as unknown as Result };
      }
      order.push(`${scenario} ${run!.seed}`);
      const { pace = 5, busy, error } = host(order.length, scenario);
      if (error !== undefined) throw new Error(error);
      const startedAt = `2026-01-02T03:04:${String(order.length).padStart(2, "0")}.000Z`;
      const result = { seconds: 10, load: busy ? { ...load, warning } : load, startedAt };
      return { result: result as Result, paces: [pace, pace, 5 * pace] };
    },
    say: (line) => said.push(line),
    ...more,
  });
  const results = readdirSync(join(folder, name)).filter((file) => file.endsWith(".json"));
  const resultOf = (scenario: string): Result =>
    JSON.parse(readFileSync(join(folder, name, `${scenario}.json`), "utf8"));
  return { order, said, skipped, results: results.toSorted(), resultOf };
}

test("every scenario runs once before any runs again, and is published with the runs it is made of", async () => {
  const { order, results, resultOf, skipped } = await published("turns");
  expect(order).toEqual(["idle 7", "near 7", "idle 8", "near 8", "idle 9", "near 9"]);
  expect([results, skipped]).toEqual([["idle.json", "near.json"], []]);
  expect(resultOf("idle")).toMatchObject({
    seconds: 30,
    data: [{ files: 3 }],
    runs: { count: 3, void: 0, seeds: [7, 8, 9] },
  });
});

test("a run of a slower or busy host is void and repeated, and the result says how many were", async () => {
  const { order, said, resultOf } = await published("voids", { runs: [runOf("idle")] }, (n) => ({
    ...(n === 2 && { pace: 6.5 }),
    ...(n === 3 && { busy: true }),
  }));
  expect(order).toHaveLength(5);
  expect(said.join()).toContain("idle: void, since the host was 1.30 times slower than before; about");
  expect(said.join()).toContain(`idle: void, since ${warning}; about`);
  expect(resultOf("idle").runs).toMatchObject({ count: 3, void: 2, seeds: [7, 10, 11] });
});

test("a host that stays busy leaves the scenario for a later call", async () => {
  const { order, skipped, results } = await published("busy", { runs: [runOf("idle")] }, () => ({
    busy: true,
  }));
  expect(order).toHaveLength(6);
  expect(skipped).toEqual([{ scenario: "idle", reason: "6 runs were void: try again later" }]);
  expect(results).toEqual([]);
  const trial = await published("trial", { runs: [runOf("idle")], trial: true }, () => ({ busy: true }));
  expect([trial.order.length, trial.resultOf("idle").runs!.void]).toEqual([3, 0]);
});

test("a later call continues from the runs of an earlier one, unless commit or settings differ", async () => {
  const failing = (n: number) => (n === 3 ? { error: "no space left\n  at a line" } : {});
  const first = await published("resumed", {}, failing);
  expect(first.skipped).toEqual([{ scenario: "idle", reason: "failed: no space left" }]);
  const second = await published("resumed");
  expect(second.order).toEqual(["idle 8", "idle 9"]);
  expect(second.said).toContain("near: published from this commit");
  // Published by now.
  expect((await published("resumed")).order).toEqual([]);
  const other = await published("resumed", { commit: "f".repeat(40) });
  expect(other.order).toHaveLength(6);
});

test("a second publication continues too, is compared with the first one, and is not repeated", async () => {
  await published("twice", { runs: [runOf("near")] });
  const again = { runs: [runOf("near")], again: true, seed: 1001 };
  const failing = (n: number) => (n === 3 ? { error: "no space left" } : {});
  expect((await published("twice", again, failing)).order).toEqual(["near 1001", "near 1002", "near 1003"]);
  const { order, said, resultOf } = await published("twice", again);
  expect(order).toEqual(["near 1003"]);
  expect(said).toContain(
    "near: the intervals of 0 of 0 ratios and 0 of 0 other figures overlap those of the first publication",
  );
  expect(resultOf("near").runs).toMatchObject({ seeds: [1001, 1002, 1003], repeated: { seeds: [7, 8, 9] } });
  expect(await published("twice", again)).toMatchObject({
    ...{ order: [], said: ["near: published from this commit, twice"] },
  });
});

test("publish prints its plan, and after each run the time left by how long runs took", async () => {
  const { said } = await published("plan");
  expect(said.slice(0, 5)).toEqual([
    "Planned, without runs that turn out void: about 6 minutes.",
    "  idle            3 runs of 60 s",
    "  near            3 runs of 60 s",
    // Two more runs of 10 s, and three of 60 s.
    "idle: run 1 of 3, 10 s; about 3 minutes left",
    "near: run 1 of 3, 10 s; about 1 minutes left",
  ]);
});

test("the whole publication is planned for less than 95 minutes", async () => {
  const planned = (await scenarios())
    .filter(({ name }) => name !== "lambda")
    .map(({ plannedS }) => plannedS!);
  expect(planned.filter((seconds) => !(seconds > 0))).toEqual([]);
  const seconds = 5 * planned.reduce((sum, each) => sum + each, 0);
  expect(seconds).toBeGreaterThan(30 * 60);
  expect(seconds).toBeLessThan(95 * 60);
});

describe("two publications", () => {
  const check = (actual: string, verdict: Verdict): Check => ({
    expectation: "it is faster",
    actual,
    verdict,
  });
  const resultOf = (cell: string, checks: readonly Check[] = []) =>
    ({
      ...{ checks, sentences: ["It took 1 ms."], runs: { seeds: [7] } },
      table: {
        columns: [{ title: "client" }, { title: "speedup", number: true }],
        rows: [{ cells: ["warmline", cell] }],
      },
    }) as unknown as Result;

  test.each([
    ["2.0 (1.9 to 2.2)", "2.3 (2.1 to 2.4)", "2.3 (2.1 to 2.4)", []],
    ["2.0 (1.9 to 2.1)", "2.3 (2.2 to 2.4)", "1.9 to 2.4", ["warmline: speedup"]],
    ["2.0 to 4.1", "1.2 (1.1 to 1.3)", "1.1 to 4.1", ["warmline: speedup"]],
    ["-1,200 (-1,300 to -1,100)", "5", "5", []],
  ])("figures %s and %s are published as %s", (before, after, text, apart) => {
    const { result, repeated } = compareResults(resultOf(before), resultOf(after));
    expect(result.table.rows[0]!.cells).toEqual(["warmline", text]);
    expect(repeated).toMatchObject({ ratiosApart: apart, figures: 0, seeds: [7] });
    expect(result.sentences).toEqual(apart.length === 0 ? ["It took 1 ms."] : undefined);
  });

  test("a check that is yes in one and no in the other is undecided, with the range of both", () => {
    const before = resultOf("1", [check("12.00 ms (11.00 ms to 13.00 ms); of 9", "yes")]);
    const after = resultOf("1", [check("2.00 ms (1.00 ms to 3.00 ms); of 8", "no")]);
    const { result, repeated } = compareResults(before, after);
    expect(result.checks).toEqual([check("1.00 ms to 13.00 ms; of 8", "undecided")]);
    expect(repeated).toMatchObject({
      figures: 1,
      figuresApart: ["it is faster"],
      verdicts: ["it is faster"],
    });
    expect(repeatedText(repeated)).toMatch(
      /^the intervals of 0 of 0 ratios and 0 of 1 .*; verdicts that differ: it is faster$/,
    );
    const same = compareResults(
      before,
      resultOf("1", [check("11.50 ms (10.00 ms to 13.00 ms)", "undecided")]),
    );
    expect(same.result.checks[0]!.actual).toBe("11.50 ms (10.00 ms to 13.00 ms)");
    expect(same.repeated.verdicts).toEqual([]);
  });
});

test("a scenario that cannot run here is named", async () => {
  const { skipped, order } = await published("missing", { runs: [runOf("lambda", () => "needs a stack")] });
  expect([skipped, order]).toEqual([[{ scenario: "lambda", reason: "needs a stack" }], []]);
});

test("a calibration takes some time, and a run is void if its median is a quarter slower", () => {
  expect(calibrate()).toBeGreaterThan(0);
  expect(slowdownOf([10, 12, 90], 10)).toBeUndefined();
  expect(slowdownOf([10, 13, 14], 10)).toBe("the host was 1.30 times slower than before");
});

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { calibrate, slowdownOf } from "../../../bench/src/results/pace.js";
import type { Result } from "../../../bench/src/results/result.js";
import type { Run } from "../../../bench/src/runner/command-line.js";
import { type Publication, publish } from "../../../bench/src/runner/publish.js";
import { newFolder } from "../../support/new-folder.js";

const folder = newFolder("publish");

const runOf = (name: string, missing?: () => string) =>
  ({
    ...{ scenario: { name, missing }, settings: {}, clients: [], parts: [] },
  }) as unknown as Run;
const commit = "0123456789".repeat(4);
const load = { before: 0.01, others: 0.02 };
const warning = "The machine was busy.";

/** Publishes scenarios into a folder of that name. `host` returns what is unusual about the n-th run of a scenario. */
async function published(
  name: string,
  more: Partial<Publication> = {},
  host: (n: number) => { pace?: number; busy?: boolean; error?: string } = () => ({}),
) {
  const [order, said]: [string[], string[]] = [[], []];
  const skipped = await publish({
    ...{ runs: ["idle", "near"].map((each) => runOf(each)), count: 3, seed: 7, commit },
    to: join(folder, name),
    folder: join(folder, name, "runs"),
    perform: async (scenario, seed) => {
      order.push(`${scenario} ${seed}`);
      const { pace = 5, busy, error } = host(order.length);
      if (error !== undefined) throw new Error(error);
      const startedAt = `2026-01-02T03:04:${String(order.length).padStart(2, "0")}.000Z`;
      const result = { seconds: 10, load: busy ? { ...load, warning } : load, startedAt } as Result;
      const cases = [{ label: "a", samples: [{ ms: Number.NaN }] }];
      return { result, measured: [{ cases, paces: [pace, pace, 5 * pace] }] };
    },
    report: async ({ scenario }, measured) => {
      const { name: scenarioName } = scenario;
      const result = { scenario: scenarioName, commit, table: { columns: [], rows: [] }, checks: [] };
      const samples = measured.map(([part]) => part!.cases[0]!.samples[0]);
      expect(samples).toEqual(measured.map(() => ({ ms: Number.NaN })));
      return { ...result, data: [{ files: measured.length }] } as unknown as Result;
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
});

test("a later call continues from the runs of an earlier one", async () => {
  const failing = (n: number) => (n === 3 ? { error: "no space left\n  at a line" } : {});
  const first = await published("resumed", {}, failing);
  expect(first.skipped).toEqual([{ scenario: "idle", reason: "failed: no space left" }]);
  const second = await published("resumed");
  expect(second.order).toEqual(["idle 8", "idle 9"]);
  expect(second.said).toContain("near: published from this commit");
  // Published by now.
  expect((await published("resumed")).order).toEqual([]);
});

test("publish prints its plan, and after each run the time left, estimated from the runs so far", async () => {
  const { said } = await published("plan");
  expect(said.slice(0, 3)).toEqual([
    "Planned, without runs that turn out void: about 6 minutes.",
    // Two more runs of 10 s, and three of 60 s.
    "idle: run 1 of 3, 10 s; about 3 minutes left",
    "near: run 1 of 3, 10 s; about 1 minutes left",
  ]);
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

import { expect, test } from "vitest";
import type { Result } from "../../../bench/src/results/result.js";
import type { Run } from "../../../bench/src/runner/command-line.js";
import { runAll } from "../../../bench/src/runner/run-all.js";
import { whileSampling } from "../../../bench/src/util/promises.js";

const runOf = (name: string, missing?: () => string) => ({ scenario: { name, missing } }) as unknown as Run;

test("a scenario that fails or cannot run is named, and the others run", async () => {
  const written: string[][] = [];
  const errors: string[] = [];
  const { failed, results, skipped } = await runAll(
    [runOf("first"), runOf("broken"), runOf("absent", () => "needs Linux"), runOf("last")],
    async ({ scenario: { name } }) => {
      if (name === "broken") throw new Error("no such key\n    at a line");
      return { scenario: name } as Result;
    },
    (_result, all) => written.push(all.results.map(({ scenario }) => scenario)),
    (scenario, message) => errors.push(`${scenario}: ${message}`),
  );
  expect(results.map(({ scenario }) => scenario)).toEqual(["first", "last"]);
  expect(skipped).toEqual([
    { scenario: "broken", reason: "failed: no such key" },
    { scenario: "absent", reason: "needs Linux" },
  ]);
  expect(written).toEqual([["first"], ["first", "last"]]);
  expect([errors, failed]).toEqual([["broken: no such key\n    at a line"], true]);
});

test("a sample that fails while a run goes on rejects once the run has ended", async () => {
  let ended = false;
  const run = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    ended = true;
    return 1;
  };
  const failing = whileSampling(1, () => Promise.reject(new Error("the metrics are gone")), run);
  await expect(failing).rejects.toThrow("the metrics are gone");
  expect(ended).toBe(true);
});

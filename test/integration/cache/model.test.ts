import { expect, test } from "vitest";
import { runCacheModel } from "../../support/cache-model/model.js";
import { SEED } from "../../support/random-tests.js";

// For minutes, and with mistakes that it has to find: test/soak/cache-model.test.ts.
test("no call returns a result computed before a deletion that ended before the call began", {
  tags: "redis-server",
  timeout: 60_000,
}, async () => {
  const { violations, reads, runs, deletions, faults, failed } = await runCacheModel({
    seconds: 3,
    minReads: 100,
    seed: SEED,
  });
  console.info(`${reads} reads, ${failed} failed, ${runs} runs, ${deletions} deletions`, faults);
  expect(violations).toEqual([]);
  expect(runs).toBeGreaterThan(10);
  expect(deletions).toBeGreaterThan(10);
  expect(faults.frozen).toBeGreaterThan(0);
});

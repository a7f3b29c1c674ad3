import { expect, test } from "vitest";
import { runNearModel } from "../../support/near-model/model.js";
import { SEED } from "../../support/random-tests.js";

// For minutes, and with a mistake that it has to find: test/soak/near-model.test.ts.
test("a read returns no value overwritten more than maxStale before, and none overwritten at all with verify", {
  tags: "redis-server",
}, async () => {
  const { violations, ownViolations, reads, stats, faults, failed } = await runNearModel({
    seconds: 4,
    minReads: 600,
    seed: SEED,
  });
  console.info(`${reads} reads, ${failed} failed`, stats, faults);
  expect(violations).toEqual([]);
  expect(ownViolations).toEqual([]);
  expect(reads).toBeGreaterThan(300);
  for (const name of ["hits", "verified", "invalidated", "misses", "ownReads"])
    expect(stats[name]).toBeGreaterThan(5);
});

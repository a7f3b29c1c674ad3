import { describe, expect, test } from "vitest";
import { withMutation } from "../support/model/mutation.js";
import { runNearModel } from "../support/near-model/model.js";
import { SEED, scaled } from "../support/random-tests.js";

const seconds = scaled(20);

describe("reads of a near cache under faults", { tags: "redis-server", retry: 0 }, () => {
  test("a read returns no value overwritten more than maxStale before, and none overwritten at all with verify", {
    timeout: 2_000 * seconds + 60_000,
  }, async () => {
    const { violations, ownViolations, reads, stats, faults, failed } = await runNearModel({
      seconds,
      minFaults: 1,
      seed: SEED,
    });
    console.info(`${reads} reads, ${failed} failed`, stats, faults);
    expect(violations).toEqual([]);
    expect(ownViolations).toEqual([]);
    expect(reads).toBeGreaterThan(500);
    for (const name of ["hits", "verified", "invalidated", "misses", "ownReads"])
      expect(stats[name]).toBeGreaterThan(20);
    for (const name of ["frozen", "killed", "restarted", "flushed"]) expect(faults[name]).toBeGreaterThan(0);
  });

  test("the model finds the mistake of a cache that dates a reply by its response, not by its request", async () => {
    const mutation = {
      entry: "src/near.ts",
      file: "src/near/local-cache.ts",
      from: "const { keys, buckets, sentAt, time, changedBy } = load;",
      to: "const { keys, buckets, sentAt } = load; const { time } = this.#reports; let changedBy;",
    };
    await withMutation(mutation, async (nearModule) => {
      const { violations } = await runNearModel({
        seconds: 120,
        seed: SEED,
        nearModule,
        untilViolation: true,
      });
      console.info(violations.length, "violations, such as", violations[0]);
      expect(violations.length).toBeGreaterThan(0);
    });
  }, 300_000);
});

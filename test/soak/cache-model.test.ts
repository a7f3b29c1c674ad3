import { describe, expect, test } from "vitest";
import { runCacheModel } from "../support/cache-model/model.js";
import { textOf, withMutation } from "../support/model/mutation.js";
import { isExhaustive, SEED, scaled } from "../support/random-tests.js";

const seconds = scaled(20);

/** Mistakes that the model has to find. Each takes a while, so most runs have the first one alone. */
const MISTAKES = [
  ["stores late results", "scripts.ts", "if lease~=ARGV[1] or now>=tonumber(ends) then return 0 end", ""],
  ["ignores deleted tags", "scripts.ts", "if v and tonumber(v)>version then return false end", ""],
  ["ignores tags in other slots", "store.ts", "(await check(undefined, version, entryTags)) === 1", "true"],
  ["shares results that are too old", "cached.ts", "result.time > time", "result.time > 0"],
] as const;

describe("results of cached functions under faults", { tags: "redis-server", retry: 0 }, () => {
  test("no call returns a result computed before a deletion that ended before the call began", {
    timeout: 2_000 * seconds + 60_000,
  }, async () => {
    const { violations, reads, runs, deletions, faults, failed } = await runCacheModel({
      seconds,
      minReads: 500,
      minFaults: 4,
      seed: SEED,
    });
    console.info(`${reads} reads, ${failed} failed, ${runs} runs, ${deletions} deletions`, faults);
    expect(violations).toEqual([]);
    for (const name of ["frozen", "lost", "refused"]) expect(faults[name]).toBeGreaterThanOrEqual(4);
    // Without deletions no result is too old.
    expect(deletions).toBeGreaterThan(20);
  });

  test.each(MISTAKES)("the mistake of a cache that %s can still be made", (_mistake, file, from) => {
    textOf({ file: `src/cache/${file}`, from });
  });

  test.each(isExhaustive ? MISTAKES : MISTAKES.slice(0, 1))(
    "the model finds the mistake of a cache that %s",
    { timeout: 300_000 },
    async (_mistake, file, from, to) => {
      await withMutation({ entry: "src/cache.ts", file: `src/cache/${file}`, from, to }, async (module) => {
        const { violations } = await runCacheModel({
          seconds: 120,
          seed: SEED,
          module,
          untilViolation: true,
        });
        console.info(violations.length, "violations, such as", violations[0]);
        expect(violations.length).toBeGreaterThan(0);
      });
    },
  );
});

import { describe, test } from "vitest";
import { EnginePair } from "../support/differential/compare.js";
import { compareBlocked, compareEngines } from "../support/differential/property.js";
import { sharedByTests } from "../support/lifetime.js";
import { SEED, scaled } from "../support/random-tests.js";

const RUNS = scaled(10_000);
const BLOCKED_RUNS = Math.ceil(RUNS / 10);

describe("the embedded engine beside a real Redis", { tags: "redis-server" }, () => {
  const pair = sharedByTests(() => EnginePair.start());

  test(`${RUNS} random command sequences have the same replies (seed ${SEED})`, {
    timeout: 1_800_000,
  }, async () => {
    await compareEngines(pair, { runs: RUNS, maxLength: 40, seed: SEED });
  });

  test(`${BLOCKED_RUNS} random cases of clients that wait have the same outcome (seed ${SEED})`, {
    timeout: 1_800_000,
  }, async () => {
    await compareBlocked(pair, { runs: BLOCKED_RUNS, seed: SEED });
  });
});

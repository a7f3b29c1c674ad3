import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EnginePair } from "../../support/differential/compare.js";
import { knownDifferences } from "../../support/differential/known-differences.js";
import { compareBlocked, compareEngines } from "../../support/differential/property.js";
import { SEED, scaled } from "../../support/random-tests.js";

const RUNS = scaled(1_500);
const BLOCKED_RUNS = Math.ceil(RUNS / 15);

test.each(knownDifferences)("docs/embedded-engine.md has the known difference: $name", ({ name }) => {
  expect(readFileSync("docs/embedded-engine.md", "utf8")).toContain(`| ${name} |`);
});

describe("the embedded engine beside a real Redis", { tags: "redis-server" }, () => {
  let pair: EnginePair;
  beforeAll(async () => {
    pair = await EnginePair.start();
  });
  afterAll(() => pair?.stop());

  test(`${RUNS} random command sequences have the same replies (seed ${SEED})`, {
    timeout: 120_000,
  }, async () => {
    await compareEngines(pair, { runs: RUNS, maxLength: 12, seed: SEED });
  });

  test(`${BLOCKED_RUNS} random cases of clients that wait have the same outcome (seed ${SEED})`, {
    timeout: 120_000,
  }, async () => {
    await compareBlocked(pair, { runs: BLOCKED_RUNS, seed: SEED });
  });

  test("the list of known differences does not grow", () => {
    expect(knownDifferences).toHaveLength(3);
  });

  test.each([
    "return redis.status_reply('\\255')",
    "return struct.pack('!i8', 1)",
    "redis.call('PFADD', 'k', 'a'); return redis.call('STRLEN', 'k')",
    "\nreturn redis.call('NOSUCH')",
  ])("a difference of scripts on the page still exists: %s", async (script) => {
    expect(await pair.compare([["EVAL", script, "0"]])).toBeDefined();
  });

  test.each(knownDifferences)(
    "a known difference still exists, else remove it from the list: $name",
    async (known) => {
      const difference = await pair.compare(known.example);
      expect(difference).toBeDefined();
      expect(known.covers(difference!, known.example.slice(0, -1))).toBe(true);
    },
  );
});

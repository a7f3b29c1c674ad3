import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { EnginePair } from "../../support/differential/compare.js";
import { knownDifferences } from "../../support/differential/known-differences.js";
import { sharedByTests } from "../../support/lifetime.js";

test.each(knownDifferences)("docs/embedded-engine.md has the known difference: $name", ({ name }) => {
  expect(readFileSync("docs/embedded-engine.md", "utf8")).toContain(`| ${name} |`);
});

describe("the embedded engine beside a real Redis", { tags: "redis-server" }, () => {
  const pair = sharedByTests(() => EnginePair.start());

  test("the list of known differences does not grow", () => {
    expect(knownDifferences).toHaveLength(3);
  });

  test.each([
    "return redis.status_reply('\\255')",
    "return struct.pack('!i8', 1)",
    "return cmsgpack.pack(2^63)",
    "redis.call('PFADD', 'k', 'a'); return redis.call('STRLEN', 'k')",
    "\nreturn redis.call('NOSUCH')",
  ])("a difference of scripts on the page still exists: %s", async (script) => {
    expect(await pair.compare([["EVAL", script, "0"]])).toBeDefined();
  });

  test.each(knownDifferences)("a known difference is still there, or has to go: $name", async (known) => {
    for (const example of known.examples) {
      const difference = await pair.compare(example);
      expect(difference, String(example)).toBeDefined();
      expect(known.covers(difference!, example.slice(0, -1)), String(example)).toBe(true);
    }
  });
});

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { blocksOn, results, withResults } from "../../../scripts/results.js";
import { schemaErrors } from "../../support/bench.js";

const pageOf = (name: string) => resolve(import.meta.dirname, "../../..", name);

test.each(["README.md", "docs/benchmarks.md"])(
  "the figures of %s are those of bench/results",
  async (name) => {
    const page = readFileSync(pageOf(name), "utf8");
    expect(blocksOn(page).length).toBeGreaterThan(0);
    await expect(withResults(page)).toMatchFileSnapshot(pageOf(name));
  },
);

test("a page whose figure was changed by hand differs from its results", () => {
  const page = readFileSync(pageOf("README.md"), "utf8");
  const changed = page.replace("| right |", "| doubled |");
  expect(changed).not.toBe(page);
  expect(withResults(changed)).toBe(page);
});

test.each([...results.values()])("bench/results has a full run of $scenario on an idle machine", (result) => {
  expect(schemaErrors(result)).toEqual([]);
  expect(result.settings.quick).toBe(false);
  expect(result.load.warning).toBeUndefined();
});

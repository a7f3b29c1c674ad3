import { expect, test } from "vitest";
import { createTags } from "../../support/tags.js";

const missing = { name: "tool", need: "a tool on PATH", isFound: false, requiredBy: "REQUIRE_TOOL" };

test("tests with the tag of a missing program are skipped, and those of a found one are not", () => {
  expect(createTags({}, [missing, { ...missing, isFound: true }])).toEqual([
    { name: "tool", description: "need a tool on PATH", skip: true },
    { name: "tool", description: "need a tool on PATH", skip: false },
  ]);
});

test("a run without a required program fails", () => {
  expect(() => createTags({ REQUIRE_TOOL: "1" }, [missing])).toThrow(
    "REQUIRE_TOOL=1, but this machine lacks a tool on PATH",
  );
  expect(createTags({ REQUIRE_TOOL: "1" }, [{ ...missing, isFound: true }])).toHaveLength(1);
});

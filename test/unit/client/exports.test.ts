import { expect, test } from "vitest";
import * as errorClasses from "../../../src/errors.js";
import * as fetchEntry from "../../../src/fetch.js";
import * as nodeEntry from "../../../src/index.js";

test.each([
  ["Node", nodeEntry],
  ["fetch", fetchEntry],
])("the entry for %s exports the client and its errors, and nothing internal", (_name, entry) => {
  expect(Object.keys(entry).sort()).toEqual(["Redis", ...Object.keys(errorClasses)].sort());
  const { Redis: _, errors, ...classes } = entry;
  expect(Object.values(classes).filter((each) => !(each.prototype instanceof Error))).toEqual([]);
  expect(Object.keys(classes)).toEqual(expect.arrayContaining(Object.keys(errors)));
});

import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { makeFolder } from "../../../../gateway/src/util/make-folder.js";
import { newFolder } from "../../../support/new-folder.js";

const scratch = newFolder("make-folder");

/** What another process does around the nth call of `mkdirSync`. */
const other = vi.hoisted(() => ({ calls: 0, at: 0, make: () => {} }));

vi.mock("node:fs", async (importOriginal) => {
  const fs = await importOriginal<typeof import("node:fs")>();
  return {
    ...fs,
    mkdirSync: (...args: Parameters<typeof mkdirSync>) => {
      const isDue = ++other.calls === Math.ceil(other.at);
      const isBefore = Number.isInteger(other.at);
      if (isDue && isBefore) other.make();
      try {
        return fs.mkdirSync(...args);
      } finally {
        if (isDue && !isBefore) other.make();
      }
    },
  };
});

afterEach(() => Object.assign(other, { calls: 0, at: 0 }));

test.each([1, 0.5, 2, 1.5, 3, 2.5])("another process may make the same folders around call %s", (at) => {
  const path = join(scratch, `${at}`, "state", "gateway");
  Object.assign(other, { at, make: () => mkdirSync(path, { recursive: true }) });
  makeFolder(path);
  expect(statSync(path).isDirectory()).toBe(true);
  makeFolder(path);
});

test("only this user has access to the folders", () => {
  const path = join(scratch, "private", "gateway");
  makeFolder(path);
  expect([path, join(scratch, "private")].map((each) => statSync(each).mode & 0o777)).toEqual([0o700, 0o700]);
});

test("a file in the place of a folder, and a file system that makes none, are errors", () => {
  const file = join(scratch, "file");
  writeFileSync(file, "");
  expect(() => makeFolder(file)).toThrow(/EEXIST/);
  expect(() => makeFolder(join(file, "gateway"))).toThrow(/ENOTDIR/);
  expect(() => makeFolder("/proc/warmline/gateway")).toThrow(/ENOENT/);
  expect(existsSync(file)).toBe(true);
});

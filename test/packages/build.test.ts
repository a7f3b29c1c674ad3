import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join, resolve } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { newFolder } from "../support/new-folder.js";
import { run } from "../support/packages/run.js";

// The build script, in a copy of the repository.

const root = resolve(import.meta.dirname, "../..");
const copy = newFolder("build");
const dist = join(copy, "testbed/dist");
const build = (...args: string[]) => run("node", ["scripts/build.mjs", ...args, "testbed"], copy);
const changedAt = (file: string) => statSync(join(dist, file)).mtimeMs;

beforeAll(async () => {
  for (const path of ["scripts", "package.json", "package-lock.json", "tsconfig.base.json"]) {
    cpSync(join(root, path), join(copy, path), { recursive: true });
  }
  cpSync(join(root, "testbed"), join(copy, "testbed"), {
    recursive: true,
    filter: (path) => !/[\\/](dist|\.dist-\w+|node_modules)$/.test(path),
  });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  await build();
});

test("a package that is up to date is not built again", async () => {
  const before = changedAt("index.js");
  await build();
  expect(changedAt("index.js")).toBe(before);
});

test("a package with a changed source is built again", async () => {
  const before = changedAt("index.js");
  writeFileSync(join(copy, "testbed/src/more.ts"), "export {};\n");
  await build();
  expect(changedAt("index.js")).toBeGreaterThan(before);
});

test("an entry whose source is gone is removed from dist", async () => {
  const config = join(copy, "testbed/tsup.config.ts");
  const original = readFileSync(config, "utf8");
  // Its name ends like a chunk's: a hyphen and eight characters.
  const source = join(copy, "testbed/src/an-estimate.ts");
  try {
    writeFileSync(config, original.replace("entry: {", 'entry: { "an-estimate": "src/an-estimate.ts",'));
    writeFileSync(source, "export const started = true;\n");
    await build();
    expect(readdirSync(dist)).toEqual(expect.arrayContaining(["an-estimate.js", "an-estimate.js.map"]));
    mkdirSync(join(dist, "folder"));
    writeFileSync(join(dist, "folder/in-folder.js"), "");
  } finally {
    writeFileSync(config, original);
    rmSync(source, { force: true });
  }
  await build();
  expect(readdirSync(dist, { recursive: true })).not.toContainEqual(
    expect.stringMatching(/estimate|in-folder/),
  );
  rmSync(join(dist, "folder"), { recursive: true });
});

test("chunks of an earlier build stay until the package is packed", async () => {
  writeFileSync(join(dist, "chunk-EARLIER0.js"), "");
  rmSync(join(dist, "index.js"));
  await build();
  expect(readdirSync(dist)).toContain("chunk-EARLIER0.js");
  await build("--prune");
  expect(readdirSync(dist).sort()).toEqual([
    ".build.json",
    "bootstrap.js",
    "bootstrap.js.map",
    "index.js",
    "index.js.map",
  ]);
});

test("a failed build leaves the last one as it was", async () => {
  const before = changedAt("index.js");
  writeFileSync(join(copy, "testbed/src/index.ts"), "export { nothing } from './missing.js';\n");
  await expect(build()).rejects.toThrow(/Could not resolve ".\/missing.js"/);
  expect(changedAt("index.js")).toBe(before);
  expect(readdirSync(join(copy, "testbed"))).not.toContainEqual(expect.stringMatching(/^\.dist-/));
});

import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "../../..");
const manifestOf = (folder: string) => JSON.parse(readFileSync(join(root, folder, "package.json"), "utf8"));

const workspaces: string[] = ["", ...manifestOf("").workspaces];

/** Every module that a workspace exports, such as `warmline/fetch`, without other spellings of one of them. */
const modules = workspaces.flatMap((folder) => {
  const { name, exports = {} } = manifestOf(folder) as { name: string; exports?: Record<string, unknown> };
  return Object.keys(exports)
    .filter((path) => !/\.json$|\.m?js$|^\.\/node$/.test(path))
    .map((path) => name + path.slice(1));
});

// An editor has the same settings: "go to definition" leads to the source, whether or not anything is built.
test.each(modules)("%s is resolved to its source", (name) => {
  const { config } = ts.readConfigFile(join(root, "tsconfig.json"), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  for (const importer of ["test/repo/project/workspaces.test.ts", "bench/src/cli.ts"]) {
    const { resolvedModule } = ts.resolveModuleName(name, join(root, importer), options, ts.sys);
    expect(relative(root, resolvedModule?.resolvedFileName ?? "")).toMatch(/^(\w+\/)?src\/.*\.ts$/);
  }
});

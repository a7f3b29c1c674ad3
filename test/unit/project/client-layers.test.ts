import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { expect, test } from "vitest";

/** The folders of src/, lowest first. A file imports from its own folder and those before it, types included. */
const LAYERS = [
  "errors.ts",
  "util",
  "options",
  "protocol",
  "commands",
  "transport",
  "execution",
  "features",
  "client",
  "connector",
];

const src = resolve(import.meta.dirname, "../../../src");

/** The place of a file's layer. The entries stand above all of them. */
function layerOf(file: string): number {
  const at = LAYERS.indexOf(relative(src, file).split(sep)[0]!);
  return at === -1 ? LAYERS.length : at;
}

test("each folder of the client imports only from those before it", () => {
  const upward: string[] = [];
  let imports = 0;
  for (const name of readdirSync(src, { recursive: true, encoding: "utf8" })) {
    if (!name.endsWith(".ts")) continue;
    const file = join(src, name);
    for (const [, path] of readFileSync(file, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"(\.[^"]+)"/g)) {
      const imported = resolve(dirname(file), path!.replace(/\.js$/, ".ts"));
      imports++;
      if (layerOf(imported) > layerOf(file)) upward.push(`${name} imports ${relative(src, imported)}`);
    }
  }
  expect(upward).toEqual([]);
  expect(imports).toBeGreaterThan(300);
});

test("every folder of the client has its place in the order", () => {
  const folders = readdirSync(src, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  for (const { name } of folders) expect(LAYERS).toContain(name);
});

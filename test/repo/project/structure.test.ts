import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, test } from "vitest";

const root = resolve(import.meta.dirname, "../../..");
const read = (file: string) => readFileSync(join(root, file), "utf8");
const sourcesIn = (folder: string) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => `${folder}/${file}`);

test("every file and class that docs/architecture.md names exists", () => {
  const files = ["src", "gateway/src", "bench/src", "test/support", "test/repo/project"].flatMap(sourcesIn);
  const names = new Set(files.map((file) => basename(file)));
  const code = files.map(read).join("\n");
  const named = Array.from(read("docs/architecture.md").matchAll(/`([\w./-]+)`/g), ([, name]) => name!);
  const exists = (name: string) => {
    if (name.endsWith(".ts")) return names.has(basename(name));
    return !/^[A-Z][a-z]+[A-Z]/.test(name) || new RegExp(`\\b(?:class|interface|type) ${name}\\b`).test(code);
  };
  expect(named.length).toBeGreaterThan(80);
  expect(named.filter((name) => !exists(name))).toEqual([]);
});

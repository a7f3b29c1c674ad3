import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

// What README claims of the packages, and what others read from it.

const root = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = read("README.md");
const manifest = JSON.parse(read("package.json"));

test("README's line of facts is that of package.json", () => {
  const facts = page.split("\n").find((line) => line.includes(" · "));
  expect(manifest.dependencies).toBeUndefined();
  expect(facts).toContain("0 dependencies");
  expect(facts).toContain(`Node ${manifest.engines.node.replace(">=", "")}+`);
  expect(facts).toContain(manifest.license);
  expect(facts).toContain("no telemetry");
});

test("README's size of the reference client is the one that was measured", () => {
  const { sizes } = JSON.parse(read("bench/results/cold.json")).settings;
  const [, gzipped] = sizes["@upstash/redis"];
  expect(page).toContain(`KB on Node (@upstash/redis: ${Math.round(gzipped / 1_000)})`);
});

describe("packages that README names", () => {
  const [, section] = /\n\*\*Works with\*\*(.*?)\n\n/s.exec(page)!;
  const links = [...section!.matchAll(/\[([^\]]+)\]\(([^)]+)\)/g)];

  /** Returns the packages that programs import. */
  const importedBy = (...files: string[]) =>
    files.flatMap((file) =>
      [...read(file).matchAll(/(?:from |require\()"([^."][^"]*)"/g)].map(([, name]) => name!),
    );
  /** Returns the packages in the first column of a table that a suite has written. */
  function listedIn(path: string, table: string): string[] {
    const [, rows] = new RegExp(`<!-- ${table} -->\n(.*?)<!-- /${table} -->`, "s").exec(read(path))!;
    return rows!
      .split("\n")
      .flatMap((row) => (row.split("|")[1] ?? "").split(","))
      .map((cell) => cell.trim().split(" ")[0]!);
  }
  const programs = "test/compat/project/src";

  test.each<[target: string, tested: string[]]>([
    [
      "compat/README.md#tested-packages",
      importedBy(...readdirSync(join(root, programs)).map((name) => `${programs}/${name}`)),
    ],
    ["docs/ioredis.md#tested-libraries", listedIn("docs/ioredis.md", "libraries")],
    ["docs/integrations.md#", listedIn("docs/integrations.md", "integrations")],
    [
      "docs/testing.md#",
      importedBy(
        "test/integration/testing/use-gateway.test.ts",
        "test/integration/testing/node-test/module.mjs",
        "test/packages/jest/hooks.test.js",
      ),
    ],
  ])("each package linked to %s has a program in a suite", (target, tested) => {
    // A package in a scope goes by the name of either: `@auth/upstash-redis-adapter` is Auth.js.
    const names = new Set(tested.flatMap((name) => [name, ...name.replace("@", "").split("/")]));
    const named = links
      .filter(([, , to]) => to!.startsWith(target))
      .flatMap(([, text]) => text!.replaceAll("`", "").split(/,\s+/));
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !names.has(name.toLowerCase().replace(/\.js$/, "")))).toEqual([]);
  });
});

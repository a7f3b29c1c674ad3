import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";

// The front page: what a visitor reads in half a minute, in this order, within two screens.

const root = resolve(import.meta.dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const page = read("README.md");
const manifest = JSON.parse(read("package.json"));
const [front = "", rest = ""] = page.split("\n## Guides\n");

test("README has its sections in order, and development comes last", () => {
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
    "When the network fails",
    "What it costs",
    "Where it fits",
    "Guides",
    "Development",
  ]);
  expect(rest).toMatch(/^npm ci && npm start .*\nnpm ci && npm test /m);
});

test("README's front page stays within two screens", () => {
  // test/browser/readme.test.ts measures it in Chromium: at most 2,000 pixels. This estimate needs no browser. It was 1,991 for a page
  // with 1,957 pixels, and 2,015 for one with 1,981.
  const shown = front
    .replace(/<details><summary>(.*?)<\/summary>.*?<\/details>/gs, "$1")
    .replace(/<!--.*?-->/gs, "")
    .replace(/\]\([^)]*\)/g, "]");
  const linesOf = (text: string) => Math.ceil(text.replace(/[`*\\[\]]/g, "").length / 116);
  const heightOf = (part: string) => {
    const rows = part.split("\n").length;
    if (part.startsWith("#")) return 55;
    if (part.startsWith("![")) return 86;
    if (part.startsWith("```")) return 32 + 20 * (rows - 2);
    if (part.startsWith("|")) return 37 * (rows - 1) + (part.includes("<br>") ? 24 : 0);
    const items = part.split(/\n(?=- )|\\\n/);
    return items.reduce((sum, item) => sum + 24 * linesOf(item), 4 * (items.length - 1));
  };
  const parts = shown.split(/\n{2,}/).filter((part) => part.trim() !== "");
  expect(parts.reduce((sum, part) => sum + heightOf(part.trim()) + 16, 0)).toBeLessThanOrEqual(2_034);
});

test("README names the commands that measure its figures, and the price of each part", () => {
  const [, costs] = /\n## What it costs\n(.*?)\n## /s.exec(page)!;
  for (const words of [
    "`npm start`",
    "`npm run bench -- cold`",
    "a gateway to run",
    "a script and a key",
    "two round trips",
  ])
    expect(costs!.replace(/\s+/g, " ")).toContain(words);
});

test("README's line of facts is that of package.json", () => {
  const facts = page.split("\n").find((line) => line.includes(" · "));
  expect(manifest.dependencies).toBeUndefined();
  expect(facts).toContain("0 dependencies");
  expect(facts).toContain(`Node ${manifest.engines.node.replace(">=", "")}+`);
  expect(facts).toContain(manifest.license);
  expect(facts).toContain("no telemetry");
});

test.each(["ECONNRESET", "socket hang up", "fetch failed", "UND_ERR_SOCKET", "Task timed out"])(
  "README has the words that people search for: %s",
  (words) => {
    expect(front).toContain(`\`${words}\``);
  },
);

/** A question of a visitor: the words that lead to the line, and the words of the answer in it. */
test.each([
  [
    "Upstash on Vercel, and fetch failed",
    /^- \*\*Upstash on Vercel\*\*, `fetch failed`/m,
    "change the import",
  ],
  [
    "Lambda's connections to ElastiCache run out",
    /^- \*\*Lambda's connections to ElastiCache .*run out/m,
    "put [warmline-gateway]",
  ],
  ["a local Redis without Docker", /^- \*\*Redis without Docker\*\*, locally/m, "`npx warmline-gateway -- "],
  ["why not ioredis", /^- \*\*Why not ioredis\?\*\*/m, "TCP connection"],
  ["why not ten lines of http.Agent", /^- \*\*Why not ten lines of `http.Agent`\?\*\*/m, "died in a freeze"],
])("README's front page has a reply to: %s", (_question, words, reply) => {
  const at = front.search(words);
  expect(at).toBeGreaterThan(0);
  const [entry] = front.slice(at).split(/\n(?=[-|]|$)/);
  expect(entry!.replace(/\s+/g, " ")).toContain(reply);
});

describe("packages that README names", () => {
  const [, section] = /\n\*\*Works with\*\* (.*?)\n\n/s.exec(page)!;
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

  test("no list of packages stands outside of links", () => {
    const others = links.reduce((text, [link]) => text.replace(link, ""), section!);
    expect(others).not.toMatch(/\w`?,\s+`?\w|\band\b/);
  });
});

import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

// The front page: what a visitor reads in half a minute, in this order, within two screens.

const root = resolve(import.meta.dirname, "../../..");
const page = readFileSync(join(root, "README.md"), "utf8");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const [front = "", rest = ""] = page.split("\n## Guides\n");

test("README has its sections in order, and development comes last", () => {
  expect([...page.matchAll(/^## (.*)$/gm)].map(([, title]) => title)).toEqual([
    "When the network fails",
    "What it costs",
    "Works with",
    "When to use what",
    "Guides",
    "Development",
  ]);
  expect(rest).toMatch(/^npm ci && npm start .*\nnpm ci && npm test /m);
});

test("README's front page stays within two screens", () => {
  // Measured in a browser, 122 lines with tables of this size take 3,000 pixels of a column as wide as GitHub's.
  expect(front.split("\n").length).toBeLessThanOrEqual(122);
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
  ["Upstash on Vercel, and fetch failed", /^\| Upstash on Vercel.*`fetch failed`/m, "change the import"],
  ["Lambda's connections to ElastiCache run out", /^\| ElastiCache.*connections/m, "[warmline-gateway]"],
  ["a local Redis without Docker", /^\| no Redis on your laptop.*no Docker/m, "`npx warmline-gateway -- "],
  ["why not ioredis", /^- \*\*Why not ioredis\?\*\*/m, "TCP connection"],
  [
    "why not ten lines of http.Agent",
    /^- \*\*Why not ten lines with `http.Agent`\?\*\*/m,
    "died in a freeze",
  ],
])("README's front page has a reply to: %s", (_question, words, reply) => {
  const at = front.search(words);
  expect(at).toBeGreaterThan(0);
  const [entry] = front.slice(at).split(/\n(?=[-|]|$)/);
  expect(entry!.replace(/\s+/g, " ")).toContain(reply);
});

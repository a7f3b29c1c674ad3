import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Redis } from "warmline";
import { createGateway, type Gateway } from "warmline-gateway";
import { freePorts } from "warmline-testbed";
import { type Served, serve } from "../examples/support/example.js";
import { blocksOf } from "../repo/docs/pages.js";
import { tableOf } from "../support/docs-table.js";
import { run } from "../support/packages/run.js";

// Libraries on our own client: the blocks of docs/integrations.md, as they stand, in programs of the folder integrations.

const PAGE = "docs/integrations.md";
const project = join(import.meta.dirname, "integrations");

/** What each program prints. */
const PRINTED: Readonly<Record<string, unknown>> = {
  "better-auth": { name: "Ada", stored: true, after: null },
  "cache-manager": {
    user: { name: "Ada" },
    short: null,
    many: [1, [2]],
    wrapped: [1, 1],
    deleted: null,
    cleared: null,
  },
  "express-session": { views: [1, 2, 3], left: "left", after: 1 },
  "hono-rate-limiter": [200, 200, 429, 200],
  "rate-limit-redis": [200, 200, 429, 429],
  "resumable-stream": { second: "one two three four", first: "one two three four", after: "DONE" },
};

let folder: string;
let gateway: Gateway;
let redis: Redis;

/** The block of the page whose first line is this name as a comment, without that line. */
function blockOf(name: string): string {
  const block = blocksOf(PAGE).find(({ code }) => code.startsWith(`// ${name}\n`));
  expect(block, `${PAGE} has no block ${name}`).toBeDefined();
  return block!.code.slice(block!.code.indexOf("\n") + 1);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "warmline-integrations-"));
  cpSync(project, folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const name of ["warmline", "warmline-adapters"] as const) {
    manifest.dependencies[name] = `file:${inject("tarballs")[name]}`;
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
  mkdirSync(join(folder, "src/recipes"));
  for (const name of Object.keys(PRINTED)) {
    writeFileSync(join(folder, "src/recipes", `${name}.mjs`), blockOf(name));
  }
  for (const name of ["cache-handler.mjs", "use-cache-handler.mjs", "next.config.mjs"]) {
    writeFileSync(join(folder, "next", name), blockOf(name));
  }
  await run("npm", ["install", "--no-audit", "--no-fund"], folder, {}, 300_000);
  gateway = await createGateway({ port: 0 });
  redis = new Redis({ url: gateway.url, token: gateway.token });
}, 600_000);
afterAll(async () => {
  redis?.close();
  await gateway?.close();
  rmSync(folder, { recursive: true, force: true });
}, 180_000);

const environment = () => ({
  WARMLINE_URL: gateway.url,
  WARMLINE_TOKEN: gateway.token,
  BETTER_AUTH_SECRET: "a secret of at least thirty-two characters",
  NEXT_TELEMETRY_DISABLED: "1",
});

/** The programs, and the app of Next.js, that did what they should. */
const passed: string[] = [];

test("every program has an expected output", () => {
  const programs = readdirSync(join(project, "src")).map((file) => basename(file, ".mjs"));
  expect(programs.filter((name) => name !== "done").sort()).toEqual(Object.keys(PRINTED));
});

test.each(Object.keys(PRINTED))(
  "the program of %s prints what it should",
  { timeout: 90_000 },
  async (name) => {
    await redis.flushall();
    const printed = await run("node", [join("src", `${name}.mjs`)], folder, environment(), 60_000);
    expect(JSON.parse(printed.trim().split("\n").at(-1)!)).toEqual(PRINTED[name]);
    passed.push(name);
  },
);

describe("Next.js", () => {
  const next = "../node_modules/next/dist/bin/next";
  const apps: Served[] = [];
  afterAll(() => Promise.all(apps.map((app) => app.stop())));

  test("instances share pages and cached functions, and a revalidation reaches all", {
    timeout: 300_000,
  }, async () => {
    const app = join(folder, "next");
    // Without a Redis, as builds mostly run.
    const output = await run("node", [next, "build"], app, { NEXT_TELEMETRY_DISABLED: "1" }, 280_000);
    expect(output).toContain("Compiled successfully");
    await redis.flushall();
    const urls: string[] = [];
    for (const port of await freePorts(2)) {
      const args = [next, "start", "--hostname", "127.0.0.1", "--port", String(port)];
      apps.push(await serve("node", args, { folder: app, env: environment() }));
      urls.push(`http://127.0.0.1:${port}`);
    }
    const [one, other] = urls as [string, string];
    const text = async (url: string) => (await fetch(url)).text();
    for (const url of urls) {
      await expect.poll(() => text(url).then(Boolean, () => false), { timeout: 30_000 }).toBe(true);
    }
    const page = async (url: string) => Number(/<p id="news">(\d+)<\/p>/.exec(await text(url))![1]);
    const news = async (url: string) => (await fetch(`${url}/api/news`)).json();

    const first = await page(one);
    expect(await page(other)).toBe(first);
    const cached = await news(one);
    expect(await news(other)).toBe(cached);
    const keys = (await redis.keys("next:*")).map((key) => key.split(":")[1]);
    expect(new Set(keys)).toEqual(new Set(["page", "use-cache"]));

    await fetch(`${one}/api/revalidate`, { method: "POST" });
    const renewed = await news(other);
    expect(renewed).not.toBe(cached);
    expect(await news(one)).toBe(renewed);
    await expect.poll(() => page(other), { timeout: 20_000 }).not.toBe(first);
    await expect.poll(async () => (await page(one)) === (await page(other)), { timeout: 20_000 }).toBe(true);
    passed.push("next");
  });
});

test("the page lists the libraries that ran", ({ skip }) => {
  skip(passed.length <= Object.keys(PRINTED).length, "some did not run, or failed");
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const helpers = new Set(["express", "express-rate-limit", "hono", "react", "react-dom"]);
  const names = Object.keys(dependencies).filter((name) => !helpers.has(name));
  const table = [
    "| library | version |",
    "|---|---|",
    ...names.map((name) => `| ${name} | ${dependencies[name]} |`),
  ];
  expect(tableOf(PAGE, "integrations", table)).toEqual(table);
});

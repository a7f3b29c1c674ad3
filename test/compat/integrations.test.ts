import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { Redis } from "warmline";
import { startLoopback } from "warmline/node-redis";
import { createGateway } from "warmline-gateway";
import { freePorts, idleReaper, loseReply, onRequest, startNetworkProxy } from "warmline-testbed";
import { NEXT, type Served, serve } from "../examples/support/example.js";
import { blocksOf } from "../repo/docs/pages.js";
import { tableOf } from "../support/docs-table.js";
import { forTest, sharedByTests } from "../support/lifetime.js";
import { preinstall } from "../support/packages/preinstall.js";
import { run } from "../support/packages/run.js";

// Runs the code blocks of the pages below, unchanged, in the programs of the folder integrations.

/** The libraries that each page shows. The first page shows all other libraries. */
const PAGES: Readonly<Record<string, readonly string[]>> = {
  "docs/integrations.md": [],
  "docs/ai.md": ["@chat-adapter/state-redis", "@modelcontextprotocol/sdk", "assistant-stream", "chat"],
  "docs/rate-limits.md": ["@upstash/ratelimit"],
  "docs/bullmq.md": ["bullmq"],
};
const [MAIN_PAGE] = Object.keys(PAGES) as [string];
const project = join(import.meta.dirname, "integrations");

/** What each program prints. */
const PRINTED: Readonly<Record<string, unknown>> = {
  "assistant-stream": {
    second: "one two three four",
    first: "one two three four",
    status: "done",
    none: null,
  },
  "better-auth": { name: "Ada", stored: true, after: null },
  bullmq: {
    ids: ["receipt-1", "receipt-1", "receipt-2", "receipt-3"],
    jobs: 4,
    worked: [1, 3, 2],
    sent: [4],
  },
  "cache-manager": {
    user: { name: "Ada" },
    short: null,
    many: [1, [2]],
    wrapped: [1, 1],
    deleted: null,
    cleared: null,
  },
  chat: {
    subscribed: [true, false],
    locks: [true, false, true],
    extended: true,
    value: { n: 1 },
    history: ["b", "c"],
  },
  "express-session": { views: [1, 2, 3], left: "left", after: 1 },
  "hono-rate-limiter": [200, 200, 429, 200],
  mcp: { notices: ["one", "two", "three"], text: "counted", resumed: true },
  "rate-limit-redis": [200, 200, 429, 429],
  ratelimit: { statuses: [200, 200, 429, 200], waits: true, whileAway: 200 },
  "resumable-stream": { second: "one two three four", first: "one two three four", after: "DONE" },
};

let folder: string;
const gateway = sharedByTests(() => createGateway({ port: 0 }));
const path = sharedByTests(() => startNetworkProxy({ to: { port: Number(new URL(gateway.url).port) } }));
let redis: Redis;

/** The code blocks that begin with their name in a comment, without this line. */
const recipes = Object.keys(PAGES).flatMap((page) =>
  blocksOf(page).flatMap(({ code }) => {
    const [line, name] = /^\/\/ ([\w.-]+)\n/.exec(code) ?? [];
    return name ? [{ name, code: code.slice(line!.length) }] : [];
  }),
);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "warmline-integrations-"));
  cpSync(project, folder, { recursive: true });
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  for (const name of ["warmline", "warmline-adapters"] as const) {
    manifest.dependencies[name] = `file:${inject("tarballs")[name]}`;
  }
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest, null, 2));
  mkdirSync(join(folder, "src/recipes"));
  for (const { name, code } of recipes) {
    // Recipes with an extension are files of the Next.js app.
    const file = name.endsWith(".mjs") ? join("next", name) : join("src/recipes", `${name}.mjs`);
    writeFileSync(join(folder, file), code);
  }
  await preinstall(folder, NEXT);
  await run("npm", ["install", "--no-audit", "--no-fund"], folder, {}, 300_000);
  redis = new Redis({ url: gateway.url, token: gateway.token });
}, 600_000);
afterAll(async () => {
  redis?.close();
  rmSync(folder, { recursive: true, force: true });
}, 180_000);

const environment = (url = gateway.url) => ({
  WARMLINE_URL: url,
  WARMLINE_TOKEN: gateway.token,
  BETTER_AUTH_SECRET: "a secret of at least thirty-two characters",
  NEXT_TELEMETRY_DISABLED: "1",
});

/** The programs that printed what they should, and the app of Next.js if it passed its test. */
const passed: string[] = [];

test("every program has an expected output", () => {
  const programs = readdirSync(join(project, "src")).map((file) => basename(file, ".mjs"));
  expect(programs.filter((name) => name !== "done").sort()).toEqual(Object.keys(PRINTED));
});

/** Runs a program on an empty Redis. Returns what it printed. */
async function outputOf(name: string, url?: string): Promise<unknown> {
  await redis.flushall();
  const printed = await run("node", [join("src", `${name}.mjs`)], folder, environment(url), 60_000);
  return JSON.parse(printed.trim().split("\n").at(-1)!);
}

test.each(Object.keys(PRINTED))("%s prints what it should", { timeout: 90_000 }, async (name) => {
  expect(await outputOf(name)).toEqual(PRINTED[name]);
  passed.push(name);
});

const faulty = ["assistant-stream", "bullmq", "chat", "mcp", "ratelimit"];
test.each(faulty)("%s prints the same while idle connections close", { timeout: 90_000 }, async (name) => {
  path.onConnection(() => idleReaper({ closeMs: 40 }));
  expect(await outputOf(name, path.url)).toEqual(PRINTED[name]);
});

/** Loses every third response on the path. Returns how many were lost. */
function loseThird(): () => number {
  let requests = 0;
  let lost = 0;
  const isThird = () => ++requests % 3 === 0 && ++lost > 0;
  path.onConnection(() => onRequest(isThird, loseReply({ leave: "close" })));
  return () => lost;
}

test.each(faulty)("%s prints the same while responses are lost", { timeout: 90_000 }, async (name) => {
  const lost = loseThird();
  expect(await outputOf(name, path.url)).toEqual(PRINTED[name]);
  expect(lost()).toBeGreaterThan(0);
});

// The package contains its tests. They take the URL of a Redis, and run ioredis and node-redis.
test("assistant-stream's own tests of its Redis stores pass while every third response is lost", async () => {
  const suite = join(folder, "assistant-stream");
  cpSync(join(folder, "node_modules/assistant-stream"), suite, { recursive: true });
  const { version } = JSON.parse(readFileSync(join(folder, "node_modules/ioredis/package.json"), "utf8"));
  const lost = loseThird();
  const loopback = forTest(await startLoopback({ url: path.url, token: gateway.token }));
  const vitest = join(import.meta.dirname, "../../node_modules/vitest/vitest.mjs");
  const args = ["run", "--root", suite, "--reporter", "json", "src/resumable/stores/redis.test.ts"];
  const env = { REDIS_URL: loopback.url, IOREDIS_PEER_MAJOR: version.split(".")[0] };
  const printed = await run("node", [vitest, ...args], suite, env);
  const { numPassedTests, numTotalTests } = JSON.parse(printed);
  expect(numPassedTests).toBe(numTotalTests);
  expect(numPassedTests).toBeGreaterThan(20);
  expect(lost()).toBeGreaterThan(20);
}, 150_000);

describe("Next.js", () => {
  const next = "../node_modules/next/dist/bin/next";
  const apps: Served[] = [];
  afterAll(() => Promise.all(apps.map((app) => app.stop())));

  test("instances share pages and cached functions, and a revalidation reaches all", async () => {
    const app = join(folder, "next");
    // Most builds run without a Redis.
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
    // Next.js responds before a revalidation by a route handler is in Redis.
    await expect.poll(() => news(other), { timeout: 20_000 }).not.toBe(cached);
    await expect.poll(() => page(other), { timeout: 20_000 }).not.toBe(first);
    expect(await news(one)).toBe(await news(other));
    await expect.poll(async () => (await page(one)) === (await page(other)), { timeout: 20_000 }).toBe(true);
    passed.push("next");
  }, 300_000);
});

test.for(Object.keys(PAGES))("%s lists the libraries that ran", (page, { skip }) => {
  skip(passed.length <= Object.keys(PRINTED).length, "some did not run, or failed");
  const { dependencies } = JSON.parse(readFileSync(join(project, "package.json"), "utf8"));
  const helpers = [
    ...["@upstash/redis", "express", "express-rate-limit", "hono", "ioredis", "react", "react-dom", "zod"],
    ...Object.values(PAGES).flat(),
  ];
  const others = Object.keys(dependencies).filter((name) => !helpers.includes(name));
  const names = page === MAIN_PAGE ? others : PAGES[page]!;
  const table = [
    "| library | version |",
    "|---|---|",
    ...names.map((name) => `| ${name} | ${dependencies[name]} |`),
  ];
  expect(tableOf(page, "integrations", table)).toEqual(table);
});

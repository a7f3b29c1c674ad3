import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createGateway, type Gateway } from "../../../gateway/src/index.js";

const root = resolve(import.meta.dirname, "../../..");
const folder = mkdtempSync(join(tmpdir(), "warmline-debug-"));
const file = join(folder, "program.mjs");
let gateway: Gateway;
beforeAll(async () => {
  gateway = await createGateway({ engine: "embedded", port: 0, token: "secret-token" });
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
  writeFileSync(
    file,
    `import { Redis } from ${JSON.stringify(join(root, "dist/index.js"))};
const redis = Redis.fromEnv();
await redis.set("secret-key", "secret-value");
await Promise.all([redis.get("secret-key"), redis.get("secret-key")]);
await redis.incr("secret-key").catch(() => {});
await new Redis({ url: "http://127.0.0.1:9", token: "t", retry: { retries: 1 } }).get("k").catch(() => {});
redis.close();
`,
  );
});
afterAll(async () => {
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

async function stderrWith(NODE_DEBUG: string | undefined): Promise<string[]> {
  const env = { ...process.env, NODE_DEBUG, WARMLINE_URL: gateway.url, WARMLINE_TOKEN: gateway.token };
  const { stderr } = await promisify(execFile)("node", [file], { env });
  return stderr
    .split("\n")
    .filter(Boolean)
    .map((line) => line.replace(/^WARMLINE \d+: /, ""));
}

test("NODE_DEBUG=warmline prints a line per request, without arguments", async () => {
  const lines = await stderrWith("http2,warmline");
  const has = (...patterns: RegExp[]) =>
    expect(lines.filter((line) => patterns.every((pattern) => pattern.test(line)))).toHaveLength(1);
  has(/^connection:opened {/, /ms: /);
  has(/^SET {/, /result: 'ok'/, /ms: \d/);
  has(/^PIPELINE {/, /batchSize: 2/, /result: 'ok'/);
  has(/^INCR {/, /result: /);
  has(/^retry {/, /command: 'GET'/, /outcome: 'unsent'/, /retry: 1/);
  has(/^GET {/, /result: 'ConnectionError'/, /outcome: 'unsent'/);
  expect(lines.join("\n")).toContain("connection:reused {");
  expect(lines.join("\n")).not.toMatch(/secret/);
});

test("without it nothing is printed", async () => {
  expect(await stderrWith(undefined)).toEqual([]);
  expect(await stderrWith("http2")).toEqual([]);
});

import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Size, sizeOf } from "../../scripts/size.js";

// The bytes that the client adds to a function's bundle. A change that exceeds these figures has to state its reason.

function print(entry: string, { minified, gzipped, parts }: Size): void {
  const shares = parts.map(({ folder, minified, gzipped }) => `${folder} ${minified} (${gzipped})`);
  console.info(`${entry}: ${minified} bytes minified, ${gzipped} gzipped. By folder: ${shares.join(", ")}`);
}

/** The limits in bytes, gzipped. Lower them with every saving. README states them in KB. */
const LIMITS = { fetch: 32_250, node: 42_010 };

test("README states the limits of both entries", () => {
  const readme = readFileSync(resolve(import.meta.dirname, "../../README.md"), "utf8");
  const kilobytes = (limit: number) => Math.ceil(limit / 1_000);
  expect(readme).toContain(
    `gzipped at most ${kilobytes(LIMITS.fetch)} KB on edge and in browsers, ${kilobytes(LIMITS.node)} KB on Node`,
  );
});

test("the fetch entry, with every command but the modules, is within its limit", async () => {
  const size = await sizeOf("fetch.ts", "neutral");
  print("fetch", size);
  expect(size.gzipped).toBeLessThanOrEqual(LIMITS.fetch);
});

test("the Node entry is within its limit", async () => {
  const size = await sizeOf("index.ts", "node");
  print("Node", size);
  expect(size.gzipped).toBeLessThanOrEqual(LIMITS.node);
});

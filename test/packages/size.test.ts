import { expect, test } from "vitest";
import { type Size, sizeOf } from "../../scripts/size.js";

// The bytes that the client adds to a function's bundle. A change that exceeds these figures has to state its reason.

function print(entry: string, { minified, gzipped, parts }: Size): void {
  const shares = parts.map(({ folder, minified, gzipped }) => `${folder} ${minified} (${gzipped})`);
  console.info(`${entry}: ${minified} bytes minified, ${gzipped} gzipped. There: ${shares.join(", ")}`);
}

test("the fetch entry, with every command but the modules, is within its limit", async () => {
  const size = await sizeOf("fetch.ts", "neutral");
  print("fetch", size);
  // The goal is 25,000 (docs/performance.md). Lower this with every saving.
  expect(size.gzipped).toBeLessThanOrEqual(30_760);
});

test("the Node entry is within its limit", async () => {
  const size = await sizeOf("index.ts", "node");
  print("Node", size);
  expect(size.minified).toBeLessThanOrEqual(190_000);
});

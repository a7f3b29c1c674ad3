import { expect, test } from "vitest";
import { type Size, sizeOf } from "../../scripts/size.js";

// What the client adds to a function's bundle. Above these figures a change has to say why it is worth it.

function print(entry: string, { minified, gzipped, parts }: Size): void {
  const shares = parts.map(({ folder, minified, gzipped }) => `${folder} ${minified} (${gzipped})`);
  console.info(`${entry}: ${minified} bytes minified, ${gzipped} gzipped. There: ${shares.join(", ")}`);
}

test("the fetch entry, with every command but the modules, is within its limit", async () => {
  const size = await sizeOf("fetch.ts", "neutral");
  print("fetch", size);
  // The goal is 25,000 (docs/performance.md). Lower this with every saving.
  expect(size.gzipped).toBeLessThanOrEqual(28_000);
});

test("the Node entry is within its limit", async () => {
  const size = await sizeOf("index.ts", "node");
  print("Node", size);
  expect(size.minified).toBeLessThanOrEqual(190_000);
});

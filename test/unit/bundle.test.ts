import { resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";

// The contents of the entries' bundles.

async function bundled(entry: string) {
  const result = await build({
    entryPoints: [resolve(import.meta.dirname, "../..", entry)],
    bundle: true,
    format: "esm",
    platform: "node",
    minify: true,
    metafile: true,
    write: false,
  });
  const [output] = Object.values(result.metafile.outputs);
  const builtins = new Set(output!.imports.map(({ path }) => path.replace("node:", "")));
  return { inputs: Object.keys(output!.inputs), builtins: [...builtins].sort(), bytes: output!.bytes };
}

test("the Node entry contains nothing of undici, and little of Node", async () => {
  const { inputs, builtins, bytes } = await bundled("src/index.ts");
  expect(inputs.filter((path) => path.includes("node_modules"))).toEqual([]);
  // net, tls and diagnostics_channel are loaded with the first connection.
  expect(builtins).toEqual([]);
  expect(bytes).toBeLessThan(108_400);
});

test("warmline/cache contains little of the client, which it is given", async () => {
  const { inputs, builtins, bytes } = await bundled("src/cache.ts");
  expect(inputs.filter((path) => path.includes("node_modules") || path.includes("transport"))).toEqual([]);
  expect(builtins).toEqual([]);
  expect(bytes).toBeLessThan(20_000);
});

test.each([
  ["streams", 14_600],
  ["idempotent", 8_800],
  ["near", 16_900],
])("warmline/%s contains nothing of a transport, and nothing of Node", async (entry, limit) => {
  const { inputs, builtins, bytes } = await bundled(`src/${entry}.ts`);
  expect(
    inputs.filter((path) => path.includes("node_modules") || /transport\/(node|fetch)/.test(path)),
  ).toEqual([]);
  expect(builtins).toEqual([]);
  expect(bytes).toBeLessThan(limit);
});

test("warmline/compress contains nothing of the client but codecs and errors, and of Node zlib alone", async () => {
  const { inputs, builtins, bytes } = await bundled("src/compress.ts");
  expect(inputs.filter((path) => /node_modules|transport|execution|commands/.test(path))).toEqual([]);
  expect(builtins).toEqual(["zlib"]);
  expect(bytes).toBeLessThan(9_300);
});

test("warmline/undici contains nothing of undici, which a dispatcher brings", async () => {
  const { inputs, builtins, bytes } = await bundled("src/undici.ts");
  expect(inputs.filter((path) => path.includes("node_modules"))).toEqual([]);
  expect(builtins).toEqual([]);
  expect(bytes).toBeLessThan(8_000);
});

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

// The Node entry loads net, tls and diagnostics_channel with the first connection.
test.each<[entry: string, excluded: RegExp, builtins: string[], limit: number]>([
  ["index", /node_modules/, [], 108_400],
  ["cache", /node_modules|transport/, [], 20_000],
  ["streams", /node_modules|transport\/(node|fetch)/, [], 14_600],
  ["idempotent", /node_modules|transport\/(node|fetch)/, [], 8_800],
  ["near", /node_modules|transport\/(node|fetch)/, [], 16_900],
  ["compress", /node_modules|transport|execution|commands/, ["zlib"], 9_300],
  ["undici", /node_modules/, [], 8_000],
])("entry %s contains nothing of %s, of Node %j, and few bytes", async (entry, excluded, expected, limit) => {
  const { inputs, builtins, bytes } = await bundled(`src/${entry}.ts`);
  expect(inputs.filter((path) => excluded.test(path))).toEqual([]);
  expect(builtins).toEqual(expected);
  expect(bytes).toBeLessThan(limit);
});

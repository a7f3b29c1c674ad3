import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { REPLACED, trimUndici } from "../../scripts/trim-undici.js";

// What the entries carry. An upgrade of undici that moves or adds a module shows here, not in a cold start.

const require = createRequire(import.meta.url);
const undici = dirname(require.resolve("undici/package.json"));

test("every replaced module exists in undici", () => {
  for (const name of REPLACED) expect(existsSync(join(undici, "lib", name)), name).toBe(true);
});

async function bundled(entry: string) {
  const result = await build({
    entryPoints: [resolve(import.meta.dirname, "../..", entry)],
    bundle: true,
    format: "esm",
    platform: "node",
    minify: true,
    metafile: true,
    write: false,
    plugins: [trimUndici],
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
  expect(bytes).toBeLessThan(92_000);
});

test("warmline/undici contains the client, its parser and little else", async () => {
  const { inputs, builtins, bytes } = await bundled("src/transport/node/undici/index.ts");
  const modules = inputs.filter((path) => path.includes("undici/lib/"));
  expect(modules.map((path) => path.split("undici/lib/")[1]).sort()).toEqual([
    "core/connect.js",
    "core/constants.js",
    "core/diagnostics.js",
    "core/errors.js",
    "core/request.js",
    "core/symbols.js",
    "core/tree.js",
    "core/util.js",
    "dispatcher/client-h1.js",
    "dispatcher/client-h2.js",
    "dispatcher/client.js",
    "dispatcher/dispatcher-base.js",
    "dispatcher/dispatcher.js",
    "handler/unwrap-handler.js",
    "handler/wrap-handler.js",
    "llhttp/constants.js",
    "llhttp/llhttp-wasm.js",
    "llhttp/llhttp_simd-wasm.js",
    "util/stats.js",
    "util/timers.js",
    "web/fetch/body.js",
  ]);
  expect(builtins).toEqual(["buffer", "events", "net", "stream"]);
  expect(bytes).toBeLessThan(150_000);
});

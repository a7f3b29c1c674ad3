import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { REPLACED, trimUndici } from "../../scripts/trim-undici.js";

// What the Node entry carries of undici. An upgrade that moves or adds a module shows here, not in a cold start.

const require = createRequire(import.meta.url);
const undici = dirname(require.resolve("undici/package.json"));

test("every module that is replaced is still there", () => {
  for (const name of REPLACED) expect(existsSync(join(undici, "lib", name)), name).toBe(true);
});

test("the bundle holds the client, its parser and little else", async () => {
  const result = await build({
    entryPoints: [resolve(import.meta.dirname, "../../src/index.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    minify: true,
    metafile: true,
    write: false,
    plugins: [trimUndici],
  });
  const [output] = Object.values(result.metafile.outputs);
  const modules = Object.keys(output!.inputs).filter((path) => path.includes("undici/lib/"));
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
  const builtins = new Set(output!.imports.map(({ path }) => path.replace("node:", "")));
  // diagnostics_channel costs nothing: net has loaded it.
  const expected = ["buffer", "diagnostics_channel", "events", "net", "stream", "tls"];
  expect([...builtins].sort()).toEqual(expected);
  expect(output!.bytes).toBeLessThan(200_000);
});

import { copyFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { defineConfig, type Options } from "tsup";

const shared: Options = { target: "node20", sourcemap: true, splitting: false };

/** The embedded engine's Lua loads these two from beside the worker, so they travel with it. */
async function copyLua(): Promise<void> {
  const require = createRequire(import.meta.url);
  const from = dirname(require.resolve("lua-redis-wasm"));
  for (const file of ["redis_lua.mjs", "redis_lua.wasm"]) {
    await copyFile(join(from, file), join("dist", file));
  }
}

export default defineConfig([
  // Shims: the CommonJS build finds the worker by import.meta.url too.
  { ...shared, entry: { index: "src/index.ts" }, format: ["esm", "cjs"], dts: true, shims: true },
  { ...shared, entry: { cli: "src/cli.ts" }, format: ["esm"] },
  {
    ...shared,
    entry: { "embedded-worker": "src/engine/embedded/worker.ts" },
    format: ["esm"],
    // The installed gateway needs none of the engine's packages: they are part of this file.
    noExternal: [/.*/],
    onSuccess: copyLua,
  },
]);

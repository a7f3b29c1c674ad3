import { copyFile, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { gatewayTable } from "../scripts/commands/gateway-table.js";

const shared: Options = {
  target: "node20",
  sourcemap: true,
  splitting: false,
  // The installed gateway needs no other package: they are part of these files.
  noExternal: [/.*/],
  // Some of them are CommonJS, which in an ES module needs a `require` for Node's own modules.
  banner: ({ format }) =>
    format === "esm"
      ? {
          js: 'import{createRequire as $createRequire}from"node:module";const require=$createRequire(import.meta.url);',
        }
      : {},
};

const require = createRequire(import.meta.url);

/** Where an installed package is. */
function folderOf(name: string): string {
  const entry = require.resolve(name);
  return entry.slice(0, entry.lastIndexOf(name) + name.length);
}

/** The embedded engine's Lua loads these two from beside the worker, so they travel with it. */
async function copyLua(): Promise<void> {
  for (const file of ["redis_lua.mjs", "redis_lua.wasm"]) {
    await copyFile(join(folderOf("lua-redis-wasm"), "dist", file), join("dist", file));
  }
}

if ((await readFile("src/commands/table.ts", "utf8")) !== gatewayTable()) {
  throw new Error("src/commands/table.ts is not what scripts/facts says; its head says how to renew it");
}

export default defineConfig([
  // Shims: the CommonJS build finds the worker by import.meta.url too.
  {
    ...shared,
    entry: { index: "src/index.ts", testing: "src/testing/index.ts" },
    format: ["esm", "cjs"],
    dts: true,
    shims: true,
  },
  { ...shared, entry: { cli: "src/cli.ts" }, format: ["esm"] },
  {
    ...shared,
    entry: { "embedded-worker": "src/engine/embedded/worker.ts" },
    format: ["esm"],
    onSuccess: copyLua,
  },
]);

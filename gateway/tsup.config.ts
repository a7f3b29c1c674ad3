import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { gatewayTable } from "../scripts/commands/gateway-table.js";

const shared: Options = { target: "node20", sourcemap: true, splitting: false };

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

/** What the worker is built from, each part's terms to be passed on with it. */
const PARTS = [
  ["js-redis-server", "LICENSE"],
  ["cluster-key-slot", "LICENSE"],
  ["lua-redis-wasm", "LICENSE"],
  ["lua-redis-wasm", "THIRD_PARTY_NOTICES.md"],
] as const;

async function writeLicenses(): Promise<void> {
  const texts = await Promise.all(
    PARTS.map(async ([name, file]) => {
      const text = await readFile(join(folderOf(name), file), "utf8");
      return `${name} (part of embedded-worker.js and what it loads)\n\n${text.trim()}\n`;
    }),
  );
  await writeFile(join("dist", "THIRD-PARTY-LICENSES.txt"), texts.join(`\n${"-".repeat(80)}\n\n`));
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
    // The installed gateway needs none of the engine's packages: they are part of this file.
    noExternal: [/.*/],
    async onSuccess() {
      await copyLua();
      await writeLicenses();
    },
  },
]);

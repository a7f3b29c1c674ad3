import { copyFile, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { build } from "esbuild";
import { defineConfig, type Options } from "tsup";
import { gatewayTable } from "../scripts/commands/gateway-table.js";

/** A folder of its own, from which scripts/build.mjs moves the files into `dist`. */
const outDir = process.env.WARMLINE_OUT_DIR ?? "dist";

const ENTRIES = { index: "src/index.ts", testing: "src/testing/index.ts", msw: "src/testing/msw.ts" };

const shared: Options = {
  outDir,
  target: "node20",
  sourcemap: true,
  splitting: false,
  esbuildOptions(options) {
    options.sourcesContent = false;
  },
  // The installed gateway needs no other package: they are part of these files. msw is the user's own.
  noExternal: [/^(?!msw$)/],
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

/**
 * The embedded engine's Lua loads these two from beside the worker, so they travel with it. Exposes the function that sets the stack
 * pointer, with which lua/runtime.ts gives Lua a larger stack.
 */
async function copyLua(): Promise<void> {
  const folder = join(folderOf("lua-redis-wasm"), "dist");
  await copyFile(join(folder, "redis_lua.wasm"), join(outDir, "redis_lua.wasm"));
  const source = await readFile(join(folder, "redis_lua.mjs"), "utf8");
  const setStack = 'wasmExports["_emscripten_stack_restore"]';
  if (!source.includes(setStack)) throw new Error(`redis_lua.mjs of lua-redis-wasm has no ${setStack}`);
  const exposed = source.replace(setStack, `Module["_emscripten_stack_restore"]=${setStack}`);
  await writeFile(join(outDir, "redis_lua.mjs"), exposed);
}

if ((await readFile("src/commands/table.ts", "utf8")) !== gatewayTable()) {
  throw new Error("src/commands/table.ts is not what scripts/facts says; its head says how to renew it");
}

/** The console page is one file: its script and its style are part of it. */
async function buildConsole(): Promise<void> {
  const folder = join("src", "console", "browser");
  const { outputFiles } = await build({
    entryPoints: [join(folder, "main.ts"), join(folder, "page.css")],
    outdir: "out",
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: "es2022",
    supported: { nesting: true },
  });
  const textOf = (end: string) => outputFiles.find(({ path }) => path.endsWith(end))!.text.trim();
  const html = (await readFile(join(folder, "page.html"), "utf8"))
    .replace("/* style */", () => textOf(".css"))
    .replace("/* script */", () => textOf(".js"));
  await writeFile(join(outDir, "console.html"), html);
}

async function writeCommonJsEntries(): Promise<void> {
  for (const name of ["index", "testing"]) {
    await writeFile(join(outDir, `${name}.cjs`), `module.exports = require("./commonjs.cjs").${name};\n`);
  }
  await writeFile(
    join(outDir, "msw.cjs"),
    `const { http } = require("msw");
const { createRedisHandlers } = require("./commonjs.cjs");
exports.redisHandlers = (options) => createRedisHandlers(http.all, options);
`,
  );
}

export default defineConfig([
  {
    ...shared,
    entry: { ...ENTRIES, cli: "src/cli.ts" },
    format: ["esm"],
    splitting: true,
    onSuccess: buildConsole,
  },
  // Shims: the CommonJS build finds the worker by import.meta.url too.
  {
    ...shared,
    entry: { commonjs: "src/commonjs.ts" },
    format: ["cjs"],
    shims: true,
    onSuccess: writeCommonJsEntries,
  },
  // Declarations take most of the time of a build, and nothing that runs reads them.
  ...(process.env.WARMLINE_CODE_ONLY === "1"
    ? []
    : [{ ...shared, entry: ENTRIES, format: ["esm", "cjs"], dts: { only: true } } satisfies Options]),
  {
    ...shared,
    entry: { "embedded-worker": "src/engine/embedded/worker.ts" },
    format: ["esm"],
    // Smaller, so that it starts sooner; names stay for stack traces.
    esbuildOptions(options) {
      options.sourcesContent = false;
      options.minifySyntax = true;
      options.minifyWhitespace = true;
    },
    onSuccess: copyLua,
  },
  {
    ...shared,
    entry: { "aws-iam": "src/redis/credentials/aws/iam-tokens.ts" },
    format: ["esm"],
    // The largest file, which few need: it is loaded only with `redisAuth: "aws-iam"`.
    minify: true,
  },
]);

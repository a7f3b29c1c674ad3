import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig, type Options } from "tsup";
import { trimUndici } from "./scripts/trim-undici.js";

/** A folder of its own, from which scripts/build.mjs moves the files into `dist`. */
const outDir = process.env.WARMLINE_OUT_DIR ?? "dist";

const ENTRIES = {
  index: "src/index.ts",
  fetch: "src/fetch.ts",
  modules: "src/commands/modules/index.ts",
  undici: "src/transport/node/undici/index.ts",
  ioredis: "src/ioredis.ts",
  "node-redis": "src/node-redis.ts",
};

async function writeEsmDeclarations(): Promise<void> {
  for (const name of Object.keys(ENTRIES)) {
    await writeFile(join(outDir, `${name}.d.ts`), `export * from "./${name}.cjs";\n`);
  }
}

const common: Options = {
  outDir,
  format: ["esm", "cjs"],
  target: "node20",
  sourcemap: true,
  splitting: false,
  minify: true,
  esbuildOptions(options) {
    // Node shows the line that threw; it should not be all of the file.
    options.lineLimit = 120;
    options.sourcesContent = false;
  },
};

export default defineConfig([
  {
    ...common,
    entry: { index: "src/index.ts" },
    onSuccess: writeEsmDeclarations,
  },
  {
    ...common,
    entry: { undici: "src/transport/node/undici/index.ts" },
    // The installed package has no dependencies: the dispatcher is part of it. It is CommonJS, which in an ES
    // module needs a `require` for Node's own modules.
    noExternal: ["undici"],
    esbuildPlugins: [trimUndici],
    banner: ({ format }) =>
      format === "esm"
        ? {
            js: 'import{createRequire as $createRequire}from"node:module";const require=$createRequire(import.meta.url);',
          }
        : {},
  },
  {
    ...common,
    entry: { ioredis: "src/ioredis.ts", "node-redis": "src/node-redis.ts" },
  },
  // What few use is apart from the entry on fetch, for bundlers that split; CommonJS has it in one file.
  ...(["esm", "cjs"] as const).map(
    (format): Options => ({
      ...common,
      entry: { fetch: "src/fetch.ts", modules: "src/commands/modules/index.ts" },
      format,
      splitting: format === "esm",
      target: "es2022",
      platform: "neutral",
    }),
  ),
  // The declarations of all entries together, so that they share their types.
  {
    entry: ENTRIES,
    // An ES module's declarations re-export them: a second copy would be as large.
    format: ["cjs"],
    outDir,
    dts: { only: true },
  },
]);

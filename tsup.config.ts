import { defineConfig, type Options } from "tsup";
import { trimUndici } from "./scripts/trim-undici.js";

const common: Options = {
  format: ["esm", "cjs"],
  target: "node20",
  sourcemap: true,
  splitting: false,
  minify: true,
  esbuildOptions(options) {
    // Node shows the line that threw; it should not be all of the file.
    options.lineLimit = 120;
  },
};

export default defineConfig([
  {
    ...common,
    entry: { index: "src/index.ts" },
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
    entry: {
      index: "src/index.ts",
      fetch: "src/fetch.ts",
      modules: "src/commands/modules/index.ts",
      undici: "src/transport/node/undici/index.ts",
    },
    format: ["esm", "cjs"],
    dts: { only: true },
  },
]);

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { defineConfig, type Options } from "tsup";

const outDir = process.env.WARMLINE_OUT_DIR ?? "dist";

const common: Options = {
  outDir,
  // It has no paths to the sources of other workspaces: the bench measures the built packages.
  tsconfig: "../tsconfig.base.json",
  format: ["esm"],
  target: "node20",
  dts: false,
  sourcemap: true,
  silent: true,
};

const REQUIRE = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/**
 * Defines `require` in the bundles that load Node's modules by it, as packages in CommonJS do. Others go without: it takes time
 * at every cold start.
 */
function defineRequire(folder: string): void {
  for (const name of readdirSync(folder)) {
    const code = readFileSync(`${folder}/${name}`, "utf8");
    if (code.includes("Dynamic require of")) writeFileSync(`${folder}/${name}`, REQUIRE + code);
  }
}

export default defineConfig([
  {
    ...common,
    entry: [
      "src/cli.ts",
      "src/scenarios/*.ts",
      "src/clients/*.ts",
      "src/handlers/*.ts",
      "src/runner/scenario-program.ts",
      "src/perf/fixed-server.ts",
      "src/outage/relay.ts",
      "src/perf/worker.ts",
      "src/perf/cold-start.ts",
    ],
    splitting: true,
  },
  // As functions are deployed: one minified file for each client.
  {
    ...common,
    entry: ["src/clients/*.ts"],
    outDir: `${outDir}/perf/bundles`,
    noExternal: [/.*/],
    splitting: false,
    minify: true,
    sourcemap: false,
    onSuccess: async () => defineRequire(`${outDir}/perf/bundles`),
  },
  // The handler as one file, for a function on AWS.
  {
    ...common,
    entry: ["src/handlers/commands.ts"],
    outDir: `${outDir}/aws`,
    splitting: false,
    sourcemap: false,
  },
]);

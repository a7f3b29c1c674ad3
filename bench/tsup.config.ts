import { defineConfig, type Options } from "tsup";

const common: Options = {
  format: ["esm"],
  target: "node20",
  dts: false,
  sourcemap: true,
  silent: true,
};

export default defineConfig([
  {
    ...common,
    entry: [
      "src/cli.ts",
      "src/scenarios/*.ts",
      "src/clients/*.ts",
      "src/handlers/*.ts",
      "src/perf/server/server.ts",
      "src/perf/worker/worker.ts",
      "src/perf/worker/clients/*.ts",
      "src/perf/cold/start.ts",
    ],
    splitting: true,
  },
  // As functions are deployed: one minified file for each client.
  {
    ...common,
    entry: ["src/perf/cold/bundles/*.ts"],
    outDir: "dist/perf/cold/bundles",
    noExternal: [/.*/],
    splitting: false,
    minify: true,
    sourcemap: false,
  },
]);

import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", fetch: "src/fetch.ts" },
  format: ["esm", "cjs"],
  target: "node20",
  dts: true,
  sourcemap: true,
  clean: true,
  splitting: false,
  // The installed package has no dependencies: the dispatcher is part of it.
  noExternal: ["undici"],
});

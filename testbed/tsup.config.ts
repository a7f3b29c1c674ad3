import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", bootstrap: "src/instance/bootstrap.ts" },
  format: ["esm"],
  target: "node20",
  dts: false,
  sourcemap: true,
  clean: true,
  silent: true,
});

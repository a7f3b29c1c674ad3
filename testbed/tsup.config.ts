import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", bootstrap: "src/instance/bootstrap.ts" },
  format: ["esm"],
  target: "node20",
  dts: false,
  sourcemap: true,
  outDir: process.env.WARMLINE_OUT_DIR ?? "dist",
  silent: true,
});

import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", cloudflare: "src/cloudflare.ts", fastly: "src/fastly.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  // The client is not bundled, so a new version of it needs no release of this package.
  external: [/^warmline/],
  dts: process.env.WARMLINE_CODE_ONLY !== "1",
  // It has no paths to the sources of other workspaces.
  tsconfig: "../tsconfig.base.json",
  outDir: process.env.WARMLINE_OUT_DIR ?? "dist",
  sourcemap: true,
  splitting: false,
});

import { defineConfig } from "tsup";

export default defineConfig({
  entry: { index: "src/index.ts", cloudflare: "src/cloudflare.ts", fastly: "src/fastly.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "neutral",
  // The client is the installed one: an improvement of it needs no release of this package.
  external: [/^warmline/],
  dts: process.env.WARMLINE_CODE_ONLY !== "1",
  // Without the paths that lead to other workspaces' sources.
  tsconfig: "../tsconfig.base.json",
  outDir: process.env.WARMLINE_OUT_DIR ?? "dist",
  sourcemap: true,
  splitting: false,
});

import { defineConfig } from "tsup";

export default defineConfig({
  entry: { "express-session": "src/express-session.ts", keyv: "src/keyv.ts", next: "src/next/index.ts" },
  format: ["esm", "cjs"],
  target: "es2022",
  platform: "node",
  external: [/^warmline/, "express-session"],
  dts: process.env.WARMLINE_CODE_ONLY !== "1",
  // It has no paths to the sources of other workspaces.
  tsconfig: "../tsconfig.base.json",
  outDir: process.env.WARMLINE_OUT_DIR ?? "dist",
  sourcemap: true,
  splitting: false,
});

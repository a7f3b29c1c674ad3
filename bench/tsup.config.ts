import { defineConfig } from "tsup";

export default defineConfig({
  entry: ["src/cli.ts", "src/scenarios/*.ts", "src/peers/*.ts", "src/handlers/*.ts"],
  format: ["esm"],
  target: "node20",
  dts: false,
  sourcemap: true,
  clean: true,
  silent: true,
  splitting: true,
});

import { defineConfig } from "vitest/config";

/** `npm test` runs these three and the type tests; the others take longer and have scripts of their own. */
const suite = process.env.WARMLINE_SUITE ?? "{unit,integration,faults}";

/** What has to be packed or installed before a suite. */
const setups: Record<string, string[]> = {
  packages: ["test/support/packages/tarballs.ts"],
  compat: ["test/support/packages/tarballs.ts"],
  examples: ["test/support/packages/tarballs.ts", "test/examples/support/install.ts"],
  runtimes: ["test/runtimes/support/install.ts"],
};

export default defineConfig({
  test: {
    include: [`test/${suite}/**/*.test.ts`],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    globalSetup: setups[suite] ?? [],
    setupFiles: [
      // The fault suites have to pass on either connection.
      ...(process.env.WARMLINE_CONNECTION === "undici" ? ["warmline/undici"] : []),
      ...(process.env.FUZZ_SEED === undefined ? [] : ["test/support/property-seed.ts"]),
    ],
    pool: "forks",
    maxWorkers: 2,
    reporters: process.env.VITEST_JSON ? ["default", "json"] : ["default"],
    outputFile: { json: process.env.VITEST_JSON ?? "" },
    typecheck: {
      enabled: process.env.WARMLINE_SUITE === undefined,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
  },
});

import { defineConfig } from "vitest/config";

/** `npm test` runs these three and the type tests; the others take longer and have scripts of their own. */
const suite = process.env.WARMLINE_SUITE ?? "{unit,integration,faults}";

/** What has to be packed or installed before a suite. */
const setups: Record<string, string[]> = {
  packages: ["test/support/packages/tarballs.ts"],
  compat: ["test/support/packages/tarballs.ts"],
  deploy: ["test/deploy/support/setup.ts"],
  site: ["test/site/support/build.ts"],
  examples: ["test/support/packages/tarballs.ts", "test/examples/support/install.ts"],
  runtimes: ["test/runtimes/support/install.ts"],
  servers: ["test/servers/support/setup.ts"],
};

/** Whether the fault suites run over a dispatcher of undici, which has to keep what is said of outcomes. */
const overUndici = process.env.WARMLINE_CONNECTION === "undici";

/** Suites about the client's own connections: which one is taken, checked, raced with another or closed. */
const OWN_CONNECTIONS = ["suspect-connection", "freeze", "tls", "circuit"].map(
  (name) => `test/faults/${name}.test.ts`,
);

export default defineConfig({
  test: {
    include: [`test/${suite}/**/*.test.ts`],
    exclude: overUndici ? OWN_CONNECTIONS : [],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    expect: { poll: { interval: 10 } },
    globalSetup: setups[suite] ?? [],
    setupFiles: [
      ...(overUndici ? ["test/faults/support/undici.ts"] : []),
      ...(process.env.FUZZ_SEED === undefined ? [] : ["test/support/property-seed.ts"]),
    ],
    pool: "forks",
    maxWorkers: 2,
    maxConcurrency: 8,
    reporters: process.env.VITEST_JSON ? ["default", "json"] : ["default"],
    outputFile: { json: process.env.VITEST_JSON ?? "" },
    typecheck: {
      enabled: process.env.WARMLINE_SUITE === undefined,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "./test/types/tsconfig.json",
    },
  },
});

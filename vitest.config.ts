import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { SkipReport } from "./test/support/skip-report.js";
import { createTags } from "./test/support/tags.js";

// All temporary files of tests are in one folder, removed at the end: workers are killed before they remove their own. Its name
// is short, since the path of a UNIX socket has at most 107 bytes. Each project loads this file again, and then the folder exists.
if (!/^wl-\w{6}$/.test(basename(tmpdir()))) {
  const folder = mkdtempSync(join(tmpdir(), "wl-"));
  // As /tmp itself: some tests run as another user.
  chmodSync(folder, 0o1777);
  process.env.TMPDIR = folder;
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
}

const suite = process.env.WARMLINE_SUITE;

/** `npm test` runs these three. The others have scripts of their own, and `.ci/run` runs them all. */
const suites = suite === undefined ? ["unit", "integration", "faults"] : [suite];

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

/** How many concurrent tests of a file run at once in suites whose tests start programs that need a processor or several. */
const concurrency: Record<string, number> = { bench: 3, packages: 2 };

/** Whether the fault suites run over a dispatcher of undici, which has to keep what is said of outcomes. */
const overUndici = process.env.WARMLINE_CONNECTION === "undici";

/**
 * Further attempts that a failed test gets, 0 by default: `.ci/run` runs on shared machines, on which a test about time may fail
 * by chance. Tests that count lost, doubled and wrong values have none, here or by their own option: one failure is a bug.
 */
const retry = Number(process.env.VITEST_RETRY ?? 0);
const ONE_ATTEMPT = ["unit", "faults", "fuzz"];

/** Suites about the client's own connections: which one is taken, checked, raced with another or closed. */
const OWN_CONNECTIONS = ["suspect-connection", "freeze", "tls", "circuit"].map(
  (name) => `test/faults/${name}.test.ts`,
);

export default defineConfig({
  test: {
    // The built packages run as they are.
    server: { deps: { external: [/\/dist\//] } },
    exclude: overUndici ? OWN_CONNECTIONS : [],
    tags: createTags(process.env),
    // Files share their worker, so a test's mocks end with it.
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Polls end as soon as they succeed; a busy machine needs longer than a second.
    expect: { poll: { interval: 10, timeout: 10_000 } },
    globalSetup: setups[suite ?? ""] ?? [],
    setupFiles: [
      ...(overUndici ? ["test/faults/support/undici.ts"] : []),
      ...(process.env.FUZZ_SEED === undefined ? [] : ["test/support/property-seed.ts"]),
    ],
    pool: "forks",
    // The tests of `npm test` wait for half of their time.
    maxWorkers: suite === undefined ? 4 : 2,
    maxConcurrency: concurrency[suite ?? ""] ?? 8,
    reporters: ["default", new SkipReport(), ...(process.env.VITEST_JSON ? ["json"] : [])],
    outputFile: { json: process.env.VITEST_JSON ?? "" },
    projects: suites.map((name) => ({
      extends: true,
      test: {
        name,
        include: [`test/${name}/**/*.test.ts`],
        // These share their modules: importing them for each file takes as long as the tests.
        isolate: suite !== undefined && suite !== "faults",
        retry: ONE_ATTEMPT.includes(name) ? 0 : retry,
      },
    })),
  },
});

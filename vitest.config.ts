import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { defineConfig } from "vitest/config";
import { RunReport } from "./test/support/run-report.js";
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

/** Random tests take their inputs from one seed, which test/support/run-report.ts prints. Workers inherit it. */
process.env.TEST_SEED ??= String(Math.floor(Math.random() * 2 ** 31));

/** The suites to run, from `WARMLINE_SUITE`, separated by commas. `npm test` runs these three, `.ci/run` all. */
const suites = (process.env.WARMLINE_SUITE ?? "unit,integration,faults").split(",");

const TARBALLS = "test/support/packages/tarballs.ts";

/** What has to be packed, built or installed before a suite. */
const SETUPS: Record<string, string[]> = {
  packages: [TARBALLS],
  compat: [TARBALLS],
  deploy: ["test/deploy/support/setup.ts"],
  site: ["test/site/support/build.ts"],
  examples: [TARBALLS, "test/examples/support/install.ts"],
  runtimes: ["test/runtimes/support/install.ts"],
  servers: ["test/servers/support/setup.ts"],
};

/** Suites whose files share their modules: importing them for each file takes as long as the tests. */
const SHARED_MODULES = ["unit", "integration", "faults", "repo"];

/** How many concurrent tests of a file run at once in suites whose tests start programs that need a processor or several. */
const CONCURRENCY: Record<string, number> = { bench: 3, packages: 2 };

/** Whether the fault suites run over a dispatcher of undici. */
const overUndici = process.env.WARMLINE_CONNECTION === "undici";

/** The fault suites about outcomes, which have to be the same over a dispatcher of undici. */
const OUTCOMES = ["abort", "batch", "endpoint", "gateway", "outcomes", "reply-size", "statuses"].map(
  (name) => `test/faults/${name}.test.ts`,
);

/**
 * Further attempts that a failed test gets, 0 by default: `.ci/run` runs on shared machines, on which a test about time may fail
 * by chance. Tests that count lost, doubled and wrong values have none, here or by their own option: one failure is a bug.
 */
const retry = Number(process.env.VITEST_RETRY ?? 0);
const ONE_ATTEMPT = ["faults", "fuzz"];

export default defineConfig({
  test: {
    // The built packages run as they are.
    server: { deps: { external: [/\/dist\//] } },
    tags: createTags(),
    // Files share their worker, so a test's mocks end with it.
    restoreMocks: true,
    unstubGlobals: true,
    unstubEnvs: true,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Polls end as soon as they succeed; a busy machine needs longer than a second.
    expect: { poll: { interval: 10, timeout: 10_000 } },
    setupFiles: ["test/support/each-file.ts", ...(overUndici ? ["test/faults/support/undici.ts"] : [])],
    pool: "forks",
    // The tests of `npm test` wait for half of their time.
    maxWorkers: process.env.WARMLINE_SUITE === undefined ? 6 : 2,
    reporters: ["default", new RunReport(), ...(process.env.VITEST_JSON ? ["json"] : [])],
    outputFile: { json: process.env.VITEST_JSON ?? "" },
    projects: suites.map((name) => ({
      extends: true,
      test: {
        name,
        include: overUndici ? OUTCOMES : [`test/${name}/**/*.test.ts`],
        globalSetup: SETUPS[name] ?? [],
        isolate: !SHARED_MODULES.includes(name),
        maxConcurrency: CONCURRENCY[name] ?? 8,
        retry: ONE_ATTEMPT.includes(name) ? 0 : retry,
      },
    })),
  },
});

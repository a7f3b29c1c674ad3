import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../support/new-folder.js";

const SCRIPT = resolve(import.meta.dirname, "../../../.ci/summary.mjs");

let folder: string;
let reports: string;
beforeEach(() => {
  folder = newFolder("summary");
  reports = join(folder, "reports");
  mkdirSync(reports);
});

interface TestResult {
  readonly fullName: string;
  readonly status: "passed" | "failed" | "skipped";
  readonly failureMessages: readonly string[];
}

/** Writes a report of a suite with one test file. */
function report(
  suite: string,
  tests: readonly TestResult[],
  file: { name?: string; status?: string; message?: string } = {},
): void {
  const numberOf = (status: TestResult["status"]) => tests.filter((each) => each.status === status).length;
  const content = {
    numPassedTests: numberOf("passed"),
    numFailedTests: numberOf("failed"),
    numPendingTests: numberOf("skipped"),
    numTodoTests: 0,
    testResults: [
      {
        name: join(folder, `${suite}.test.ts`),
        status: "passed",
        message: "",
        assertionResults: tests,
        ...file,
      },
    ],
  };
  writeFileSync(join(reports, `${suite}.json`), JSON.stringify(content));
}

const passed = (fullName: string, ...failureMessages: string[]): TestResult => ({
  fullName,
  status: "passed",
  failureMessages,
});

function summary() {
  const { status, stdout } = spawnSync(process.execPath, [SCRIPT, reports], {
    cwd: folder,
    encoding: "utf8",
  });
  return { status, lines: stdout.trimEnd().split("\n") };
}

test("the summary lists failed tests last, and exits with 1", () => {
  report("soak", [
    { fullName: "c", status: "failed", failureMessages: ["Error: wrong"] },
    passed("d", "Error: late"),
  ]);
  const { status, lines } = summary();
  expect(status).toBe(1);
  expect(lines.slice(-4)).toEqual(["failed: soak.test.ts > c", "  Error: wrong", "", "1 passed, 1 failed"]);
});

test("the summary exits with 1 if a test file can't be loaded, a test is skipped, or none ran", () => {
  expect(summary()).toMatchObject({ status: 1 });
  report("soak", [passed("a")], { status: "failed", message: "Error: no such module" });
  expect(summary()).toMatchObject({
    status: 1,
    lines: expect.arrayContaining(["failed: soak.test.ts", "  Error: no such module"]),
  });
  report("soak", [passed("a"), { fullName: "b", status: "skipped", failureMessages: [] }]);
  expect(summary()).toMatchObject({
    status: 1,
    lines: expect.arrayContaining(["1 skipped: nothing may skip here"]),
  });
});

test("a test that a filter leaves out must have passed in another report", () => {
  const skipped = (fullName: string): TestResult => ({ fullName, status: "skipped", failureMessages: [] });
  const file = { name: join(folder, "test/unit/a.test.ts") };
  report("readme", [passed("a"), skipped("b")], file);
  report("test", [skipped("a"), passed("b")], file);
  expect(summary()).toMatchObject({ status: 0, lines: expect.arrayContaining(["2 passed, 0 failed"]) });
  report("test", [skipped("a"), passed("b"), skipped("c")], file);
  expect(summary()).toMatchObject({
    status: 1,
    lines: expect.arrayContaining(["1 skipped: nothing may skip here", "  test/unit/a.test.ts > c"]),
  });
});

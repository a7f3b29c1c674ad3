// node .ci/summary.mjs FOLDER: what vitest's JSON reports in it say. Which tests failed and how comes last, before the
// total: of a long log, the end is what people see. A test that passed at its second attempt keeps the message of the first.
// A test that one report skipped may have passed in another: README's command runs what needs Node alone, the group `test` the rest.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const MESSAGE_LINES = 12;

const folder = process.argv[2];
const total = { passed: 0, failed: 0 };
/** How often each test passed and was skipped, by its file and name. */
const counts = new Map();
const failures = [];
const secondAttempts = [];

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()) {
  const report = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const { numPassedTests, numFailedTests, numPendingTests, numTodoTests } = report;
  console.log(
    `${file.replace(/\.json$/, "")}: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests + numTodoTests} skipped`,
  );
  total.passed += numPassedTests;
  total.failed += numFailedTests;
  for (const testFile of report.testResults) {
    // README's commands run in clones of their own.
    const name = relative(process.cwd(), testFile.name).replace(/^.*\/(?=test\/)/, "");
    const failed = testFile.assertionResults.filter((test) => test.status === "failed");
    for (const { status, fullName } of testFile.assertionResults) {
      const count = counts.get(`${name} > ${fullName}`) ?? { passed: 0, skipped: 0 };
      counts.set(`${name} > ${fullName}`, count);
      if (status === "passed") count.passed++;
      // Where only Node is found, what needs a server skips; .ci/clean-machine counts what ran.
      else if (status !== "failed" && file !== "readme.json") count.skipped++;
    }
    for (const test of failed) failures.push([`${name} > ${test.fullName}`, test.failureMessages.join("\n")]);
    for (const test of testFile.assertionResults)
      if (test.status === "passed" && test.failureMessages.length > 0)
        secondAttempts.push([`${name} > ${test.fullName}`, test.failureMessages[0]]);
    // A file that can't be loaded, or whose set-up failed, has no failed test.
    if (testFile.status === "failed" && failed.length === 0) failures.push([name, testFile.message]);
  }
}

print("passed at the second attempt", secondAttempts);
print("failed", failures);
const skipped = [...counts].filter(([, count]) => count.skipped > count.passed).map(([name]) => name);
if (skipped.length > 0) {
  console.log(`\n${skipped.length} skipped: nothing may skip here`);
  for (const name of skipped.slice(0, 20)) console.log(`  ${name}`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(skipped.length > 0 || total.passed === 0 || failures.length > 0 ? 1 : 0);

function print(title, tests) {
  for (const [name, message] of tests) {
    console.log(`\n${title}: ${name}`);
    for (const line of message.split("\n").slice(0, MESSAGE_LINES)) console.log(`  ${line}`);
  }
}

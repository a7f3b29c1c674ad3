// node .ci/summary.mjs FOLDER: what vitest's JSON reports in it say. Which tests failed and how comes last, before the
// total: of a long log, the end is what people see. A test that passed at its second attempt keeps the message of the first.
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const MESSAGE_LINES = 12;

const folder = process.argv[2];
const total = { passed: 0, failed: 0, skipped: 0 };
const failures = [];
const secondAttempts = [];

for (const file of readdirSync(folder)
  .filter((name) => name.endsWith(".json"))
  .sort()) {
  const report = JSON.parse(readFileSync(join(folder, file), "utf8"));
  const skipped = report.numPendingTests + report.numTodoTests;
  console.log(
    `${file.replace(/\.json$/, "")}: ${report.numPassedTests} passed, ${report.numFailedTests} failed, ${skipped} skipped`,
  );
  total.passed += report.numPassedTests;
  total.failed += report.numFailedTests;
  // Where only Node is found, what needs a server skips; .ci/clean-machine counts what ran.
  if (file !== "readme.json") total.skipped += skipped;
  for (const testFile of report.testResults) {
    // README's commands run in clones of their own.
    const name = relative(process.cwd(), testFile.name).replace(/^.*\/(?=test\/)/, "");
    const failed = testFile.assertionResults.filter((test) => test.status === "failed");
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
if (total.skipped > 0) console.log(`\n${total.skipped} skipped: nothing may skip here`);
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exit(total.skipped > 0 || total.passed === 0 || failures.length > 0 ? 1 : 0);

function print(title, tests) {
  for (const [name, message] of tests) {
    console.log(`\n${title}: ${name}`);
    for (const line of message.split("\n").slice(0, MESSAGE_LINES)) console.log(`  ${line}`);
  }
}

import type { Reporter, TestCase, TestModule, Vitest } from "vitest/node";

/**
 * Prints the seed of a run's random tests, and at its end how many tests were skipped and what each of them needs: the
 * description of its tag, or the note of `context.skip()`. A skipped test without a reason fails the run.
 */
export class RunReport implements Reporter {
  #vitest!: Vitest;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
    vitest.logger.log(`TEST_SEED=${process.env.TEST_SEED} repeats the inputs of this run's random tests.\n`);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    const { testNamePattern, tagsFilter, tags } = this.#vitest.config;
    // A filter skips tests too.
    if (testNamePattern || tagsFilter) return;
    // A tag without `skip` marks tests that skip themselves.
    const skipped = tags.filter(({ skip }) => skip !== false);
    const descriptions = new Map(skipped.map(({ name, description }) => [name, description]));
    const reasonOf = (test: TestCase) => {
      const result = test.result();
      const note = result.state === "skipped" ? result.note : undefined;
      return note ?? test.tags.map((tag) => descriptions.get(tag)).find((text) => text !== undefined);
    };
    const counts = new Map<string, number>();
    const unexplained: string[] = [];
    for (const module of modules) {
      for (const test of module.children.allTests("skipped")) {
        const reason = reasonOf(test);
        if (reason === undefined) unexplained.push(`${module.relativeModuleId} > ${test.fullName}`);
        else counts.set(reason, (counts.get(reason) ?? 0) + 1);
      }
    }
    for (const [reason, count] of counts) this.#vitest.logger.log(`Skipped: ${count} tests ${reason}.\n`);
    if (unexplained.length === 0) return;
    this.#vitest.logger.error(
      `Skipped without a reason; give the tests a tag of test/support/tags.ts:\n${unexplained.join("\n")}\n`,
    );
    process.exitCode = 1;
  }
}

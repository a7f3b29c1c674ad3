/**
 * Whether tests with random inputs, and tests that repeat a race, run at their full length: `TEST_RUNS=full`, as `.ci/run` has it.
 */
const full = process.env.TEST_RUNS === "full";

/** How many random inputs a property is tried with: all of them in a full run, else a tenth, and 20 at least. */
export const runs = (count: number): number =>
  full ? count : Math.min(count, Math.max(20, Math.ceil(count / 10)));

/** Seed of every random test of this run: `TEST_SEED`, which vitest.config.ts chooses unless it is set. */
export const SEED = Number(process.env.TEST_SEED);

/** How much random tests do: a tenth in `npm test`, a third in `.ci/run`, a multiple in its group `random`. */
const factor = Number(process.env.TEST_RUNS ?? 0.1);

/** Returns the number of random inputs, or a duration, for this run: `count` times `TEST_RUNS`, but at least 20, or `count` if less. */
export const scaled = (count: number): number => Math.max(Math.min(count, 20), Math.round(count * factor));

/** Whether this run has the tests that start many processes or take a processor for seconds, as `.ci/run`. */
export const isFullRun = factor >= 0.3;

/** Whether this run leaves nothing out, as the scheduled one. */
export const isExhaustive = factor > 1;

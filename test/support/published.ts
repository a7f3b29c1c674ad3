import type { Result } from "../../bench/src/results/result.js";
import { results } from "../../scripts/results.js";

// Results of scenarios as bench/results has them, with tables of tests.

export const table = (columns: string[], ...rows: string[][]): Result["table"] => ({
  columns: columns.map((title) => ({ title })),
  rows: rows.map((cells) => ({ cells })),
});

/** Returns the result of a scenario, from the machine and with the versions of the published faults. */
export const measured = (scenario: string, own: Partial<Result>): ReadonlyMap<string, Result> =>
  new Map([[scenario, { ...results.get("faults")!, scenario, checks: [], ...own }]]);

import type { Collection, Result, SkippedScenario } from "../results/result.js";
import type { Run } from "./command-line.js";

/**
 * Runs scenarios one after the other. Scenarios that cannot run here or fail are listed as skipped.
 * @param onResult called after each result, with all results so far: none is lost if a later scenario hangs
 */
export async function runAll(
  runs: readonly Run[],
  perform: (run: Run) => Promise<Result>,
  onResult: (result: Result, all: Collection) => void,
  onError: (scenario: string, message: string) => void,
): Promise<Collection & { readonly failed: boolean }> {
  const results: Result[] = [];
  const skipped: SkippedScenario[] = [];
  const all: Collection = { format: 4, results, skipped };
  let failed = false;
  for (const run of runs) {
    const { name: scenario, missing } = run.scenario;
    const reason = missing?.();
    if (reason !== undefined) {
      skipped.push({ scenario, reason });
      continue;
    }
    try {
      const result = await perform(run);
      results.push(result);
      onResult(result, all);
    } catch (error) {
      const { message } = error as Error;
      onError(scenario, message);
      skipped.push({ scenario, reason: `failed: ${message.split("\n")[0]}` });
      failed = true;
    }
  }
  return { ...all, failed };
}

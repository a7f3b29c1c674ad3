import type { Collection, Result, SkippedScenario } from "../results/result.js";
import type { Run } from "./command-line.js";

/**
 * Runs scenarios one after the other. Skips those that cannot run here; a failed one does not stop the others.
 * @param onResult is called after each result with all so far, so that none is lost if a later scenario never ends
 */
export async function runAll(
  runs: readonly Run[],
  perform: (run: Run) => Promise<Result>,
  onResult: (run: Run, result: Result, all: Collection) => void,
  onError: (scenario: string, error: Error) => void,
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
      onResult(run, result, all);
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      onError(scenario, error);
      skipped.push({ scenario, reason: `failed: ${error.message.split("\n")[0]}` });
      failed = true;
    }
  }
  return { ...all, failed };
}

import { readCommit } from "../results/commit.js";
import { watchLoad } from "../results/load-guard.js";
import { thisMachine } from "../results/machine.js";
import type { Result } from "../results/result.js";
import { Progress } from "../util/progress.js";
import { UsageError } from "../util/usage.js";
import type { Run } from "./command-line.js";
import { type Part, runScenario } from "./run-scenario.js";

/** Runs a scenario in this process. @throws UsageError if it cannot run on this machine */
export async function perform({ scenario, settings, clients, line }: Run, part?: Part): Promise<Result> {
  const reason = scenario.missing?.();
  if (reason !== undefined) throw new UsageError(`${scenario.name} cannot run here: it ${reason}.`);
  const startedAt = new Date();
  const machine = thisMachine();
  const commit = readCommit();
  const loadOfRun = await watchLoad();
  const begunAt = performance.now();
  const progress = new Progress(process.stderr, scenario.name);
  const outcome = await runScenario(scenario, settings, clients, progress, part).finally(() =>
    progress.end(),
  );
  return {
    format: 4,
    scenario: scenario.name,
    title: scenario.title,
    question: scenario.question,
    command: line,
    seed: settings.seed,
    machine,
    ...(commit !== undefined && { commit }),
    load: loadOfRun(),
    startedAt: startedAt.toISOString(),
    seconds: Math.round((performance.now() - begunAt) / 100) / 10,
    ...outcome,
  };
}

import { summaryOf } from "../results/checks.js";
import { readCommit } from "../results/commit.js";
import { watchLoad } from "../results/load-guard.js";
import { thisMachine } from "../results/machine.js";
import type { Outcome, Result } from "../results/result.js";
import type { Scenario } from "../scenario.js";
import { Progress } from "../util/progress.js";
import { UsageError } from "../util/usage.js";
import type { Run } from "./command-line.js";
import { type Measured, runScenario } from "./run-scenario.js";

/** The result of a run, and what the scenario and each of its parts measured. */
export interface Performed {
  readonly result: Result;
  readonly measured: readonly Measured[];
}

/**
 * Runs a scenario and its parts in this process.
 * @param runs what earlier runs measured: they are reported, each as one repetition, and nothing is measured
 * @throws UsageError if it cannot run on this machine
 */
export async function perform(run: Run, runs?: readonly (readonly Measured[])[]): Promise<Performed> {
  const { scenario, settings, line } = run;
  const reason = scenario.missing?.();
  if (reason !== undefined) throw new UsageError(`${scenario.name} cannot run here: it ${reason}.`);
  const startedAt = new Date().toISOString();
  const machine = thisMachine();
  const commit = readCommit();
  const loadOfRun = await watchLoad();
  const begunAt = performance.now();
  const measured: Measured[] = [];
  const outcomes: PartOutcome[] = [];
  const skipped: string[] = [];
  for (const part of [run, ...run.parts]) {
    const missing = part.scenario.missing?.();
    if (missing !== undefined) {
      skipped.push(`Skipped: ${part.scenario.title}: it ${missing}.`);
      continue;
    }
    const own = runs?.map((parts) => parts[outcomes.length]!);
    const progress = new Progress(process.stderr, part.scenario.name);
    const ended = runScenario(part.scenario, part.settings, part.clients, progress, own);
    const { outcome, measured: ofPart } = await ended.finally(() => progress.end());
    outcomes.push({ scenario: part.scenario, outcome });
    measured.push(ofPart);
  }
  const joined = join(outcomes);
  const { name, title, question } = scenario;
  const seconds = Math.round((performance.now() - begunAt) / 100) / 10;
  const result: Result = {
    ...{ format: 4, scenario: name, title, question, command: line, seed: settings.seed },
    ...{ machine, commit, load: loadOfRun(), startedAt, seconds },
    ...joined,
    notes: [...joined.notes, ...skipped],
  };
  return { result, measured };
}

type PartOutcome = Readonly<{ scenario: Scenario; outcome: Outcome }>;

function join(outcomes: readonly PartOutcome[]): Outcome {
  const [{ outcome: first }, ...others] = outcomes as [PartOutcome, ...PartOutcome[]];
  if (others.length === 0) return first;
  const all = outcomes.map(({ outcome }) => outcome);
  const checks = all.flatMap((each) => each.checks);
  const settings = others.map(({ scenario, outcome }) => [scenario.name, outcome.settings] as const);
  return {
    ...first,
    checks,
    summary: first.settings.quick ? first.summary : summaryOf(checks),
    charts: all.flatMap(({ charts }) => charts),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
    settings: { ...first.settings, ...Object.fromEntries(settings) },
    versions: Object.assign({}, ...all.map(({ versions }) => versions)),
    parts: others.map(({ scenario: { name, title }, outcome: { table } }) => ({ name, title, table })),
    data: outcomes.flatMap(({ scenario, outcome }, at) =>
      (outcome.data as object[]).map((row) => (at === 0 ? row : { part: scenario.name, ...row })),
    ),
  };
}

import { summaryOf } from "../results/checks.js";
import { readCommit } from "../results/commit.js";
import { watchLoad } from "../results/load-guard.js";
import { thisMachine } from "../results/machine.js";
import type { Outcome, Result } from "../results/result.js";
import { Progress } from "../util/progress.js";
import { UsageError } from "../util/usage.js";
import type { Run } from "./command-line.js";
import { type Measured, runScenario } from "./run-scenario.js";

/** How a run belongs to a publication. Of a scenario with parts each has measurements of its own. */
export interface Publishing {
  /** Reports these runs, each one repetition, and measures nothing. */
  readonly of?: readonly (readonly Measured[])[];
  /** Receives what was measured. */
  readonly onMeasured?: (measured: readonly Measured[]) => void;
}

/** Runs a scenario and its parts in this process. @throws UsageError if it cannot run on this machine */
export async function perform(run: Run, { of, onMeasured }: Publishing = {}): Promise<Result> {
  const { scenario, settings, line } = run;
  const reason = scenario.missing?.();
  if (reason !== undefined) throw new UsageError(`${scenario.name} cannot run here: it ${reason}.`);
  const startedAt = new Date();
  const machine = thisMachine();
  const commit = readCommit();
  const loadOfRun = await watchLoad();
  const begunAt = performance.now();
  const measured: Measured[] = [];
  const outcomes: { readonly part: Run; readonly outcome: Outcome }[] = [];
  const skipped: string[] = [];
  for (const part of [run, ...run.parts]) {
    const missing = part.scenario.missing?.();
    if (missing !== undefined) {
      skipped.push(`Skipped: ${part.scenario.title}: it ${missing}.`);
      continue;
    }
    const at = outcomes.length;
    const progress = new Progress(process.stderr, part.scenario.name);
    const outcome = await runScenario(part.scenario, part.settings, part.clients, progress, {
      ...(of && { of: of.map((parts) => parts[at]!) }),
      onMeasured: (each) => void measured.push(each),
    }).finally(() => progress.end());
    outcomes.push({ part, outcome });
  }
  onMeasured?.(measured);
  const joined = join(outcomes);
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
    ...joined,
    notes: [...joined.notes, ...skipped],
  };
}

/** Puts the outcomes of a scenario and of its parts together. */
function join(outcomes: readonly { readonly part: Run; readonly outcome: Outcome }[]): Outcome {
  const [{ outcome: first }, ...others] = outcomes as [(typeof outcomes)[number], ...typeof outcomes];
  if (others.length === 0) return first;
  const all = outcomes.map(({ outcome }) => outcome);
  const checks = all.flatMap((each) => each.checks);
  const of = (named: (outcome: Outcome) => Readonly<Record<string, unknown>>) =>
    Object.fromEntries(others.map(({ part, outcome }) => [part.scenario.name, named(outcome)]));
  return {
    ...first,
    checks,
    summary: first.settings.quick ? first.summary : summaryOf(checks),
    charts: all.flatMap(({ charts }) => charts),
    notes: [...new Set(all.flatMap(({ notes }) => notes))],
    settings: { ...first.settings, ...of(({ settings }) => settings) },
    versions: Object.assign({}, ...all.map(({ versions }) => versions)),
    parts: others.map(({ part: { scenario }, outcome: { table } }) => {
      const { name, title } = scenario;
      return { name, title, table };
    }),
    data: outcomes.flatMap(({ part, outcome }, at) =>
      (outcome.data as object[]).map((row) => (at === 0 ? row : { part: part.scenario.name, ...row })),
    ),
  };
}

import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Load } from "../results/load-guard.js";
import { slowdownOf } from "../results/pace.js";
import type { Result, SkippedScenario } from "../results/result.js";
import { published } from "../results/result-file.js";
import { median } from "../statistics/latencies.js";
import type { Run } from "./command-line.js";

/** A run of a scenario that a publication consists of. */
export interface PublishedRun {
  readonly scenario: string;
  readonly seed: number;
  /** The commit, settings, clients and machine. Only runs that agree in all of them are published together. */
  readonly key: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly load: Load;
  /** The host's calibrations, in ms. */
  readonly paces: readonly number[];
  /** The name of the file of all samples. */
  readonly file: string;
}

/** What a publication is made of. */
export interface Publication {
  readonly runs: readonly Run[];
  /** The number of runs of each scenario. */
  readonly count: number;
  readonly seed: number;
  /** Whether scenarios are measured that have been published from this commit. */
  readonly again: boolean;
  readonly commit: string | undefined;
  /** Whether no run is void, for trials on a busy machine. */
  readonly lenient: boolean;
  /** The folder of the published results. */
  readonly to: string;
  /** The folder of the runs, which a later call continues from. */
  readonly folder: string;
  keyOf(run: Run): string;
  /** Runs a scenario once in a process of its own; its samples are written to a file of that name in `folder`. */
  measure(run: Run, seed: number, file: string): Promise<Omit<PublishedRun, "key">>;
  /** Reports runs as one result. */
  report(run: Run, files: readonly string[]): Promise<Result>;
  say(line: string): void;
}

/** So many runs of a scenario may be void in one call; then it is left for a later one. */
const MAX_VOID = 3;

/**
 * Runs each scenario several times, all scenarios once before any is run again, so that the runs of one are spread over the whole
 * time. A void run is repeated. A scenario is written as soon as it has enough runs; after an interruption a call with the same
 * commit and settings continues.
 * @returns the scenarios without a result, and why
 */
export async function publish(publication: Publication): Promise<SkippedScenario[]> {
  const { runs, count, again, commit, lenient, to, folder, say } = publication;
  mkdirSync(folder, { recursive: true });
  mkdirSync(to, { recursive: true });
  const index = join(folder, "index.json");
  let known: PublishedRun[] = existsSync(index) ? JSON.parse(readFileSync(index, "utf8")) : [];
  const keep = (kept: PublishedRun[]) => {
    for (const { file } of known.filter((each) => !kept.includes(each)))
      rmSync(join(folder, file), { force: true });
    known = kept;
    writeFileSync(index, `${JSON.stringify(known, undefined, 1)}\n`);
  };
  const keys = new Map(runs.map((run) => [run.scenario.name, publication.keyOf(run)]));
  keep(known.filter(({ scenario, key }) => !keys.has(scenario) || (!again && keys.get(scenario) === key)));

  const skipped: SkippedScenario[] = [];
  const left = new Set<Run>();
  for (const run of runs) {
    const { name: scenario, missing } = run.scenario;
    const reason = missing?.();
    const file = join(to, `${scenario}.json`);
    const before: Result | undefined = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
    if (reason !== undefined) skipped.push({ scenario, reason });
    else if (
      !again &&
      commit !== undefined &&
      before?.commit === commit &&
      (before.runs?.count ?? 1) >= count
    )
      say(`${scenario}: published from this commit`);
    else left.add(run);
  }
  const give = (run: Run, reason: string) => {
    left.delete(run);
    skipped.push({ scenario: run.scenario.name, reason });
    say(`${run.scenario.name}: ${reason}`);
  };
  const voidOf = (run: PublishedRun) => (lenient ? undefined : reasonToVoid(run, known));
  const validOf = (name: string) =>
    known.filter((each) => each.scenario === name && voidOf(each) === undefined);
  const attempts = new Map<Run, number>();
  while (left.size > 0) {
    for (const run of [...left]) {
      const { name } = run.scenario;
      const seed = publication.seed + known.filter(({ scenario }) => scenario === name).length;
      try {
        if (validOf(name).length < count) {
          attempts.set(run, (attempts.get(run) ?? 0) + 1);
          const key = keys.get(name)!;
          const measured = { key, ...(await publication.measure(run, seed, `${name}.${seed}.json.gz`)) };
          keep([...known, measured]);
          const reason = voidOf(measured);
          const of = `run ${validOf(name).length} of ${count}, ${Math.round(measured.seconds)} s`;
          say(`${name}: ${reason === undefined ? of : `void, since ${reason}`}`);
        }
        const valid = validOf(name);
        const voided = known.filter(({ scenario }) => scenario === name).length - valid.length;
        if (valid.length >= count) {
          const used = valid.slice(0, count);
          const result = await publication.report(
            run,
            used.map(({ file }) => join(folder, file)),
          );
          writeFileSync(join(to, `${name}.json`), published(withRuns(result, used, voided)));
          left.delete(run);
          say(`${name}: published`);
        } else if (attempts.get(run)! >= count + MAX_VOID)
          give(run, `${voided} runs were void: try again later`);
      } catch (error) {
        give(run, `failed: ${(error as Error).message.split("\n")[0]}`);
      }
    }
  }
  return skipped;
}

/** Returns why a run is void; undefined if it counts. The pace that it is held to is the best of all runs, of any scenario. */
function reasonToVoid({ paces, load }: PublishedRun, known: readonly PublishedRun[]): string | undefined {
  return load.warning ?? slowdownOf(paces, Math.min(...known.map((each) => median(each.paces))));
}

/** Returns a result with what its runs were. */
function withRuns(result: Result, runs: readonly PublishedRun[], voided: number): Result {
  const others = runs.map(({ load }) => load.others ?? 0);
  return {
    ...result,
    seed: runs[0]!.seed,
    startedAt: runs[0]!.startedAt,
    seconds: Math.round(runs.reduce((sum, { seconds }) => sum + seconds, 0)),
    load: { before: Math.max(...runs.map(({ load }) => load.before)), others: Math.max(...others) },
    runs: {
      count: runs.length,
      void: voided,
      seeds: runs.map(({ seed }) => seed),
      startedAt: runs.map(({ startedAt }) => startedAt),
    },
  };
}

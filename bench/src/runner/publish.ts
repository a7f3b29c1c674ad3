import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { slowdownOf } from "../results/pace.js";
import type { Result, SkippedScenario } from "../results/result.js";
import { published } from "../results/result-file.js";
import { median } from "../statistics/series.js";
import type { CommandLine, Run } from "./command-line.js";
import type { Performed } from "./perform.js";
import type { Measured } from "./run-scenario.js";

/** A run of a scenario that a publication consists of. */
interface PublishedRun extends Pick<Result, "scenario" | "seed" | "startedAt" | "seconds" | "load"> {
  /** The host's calibrations, in ms. */
  readonly paces: readonly number[];
  readonly file: string;
}

export interface Publication extends Omit<Extract<CommandLine, { action: "publish" }>, "action"> {
  readonly commit: string;
  /** The folder of the published results. */
  readonly to: string;
  /** The folder of this commit's runs, which a later call continues from. */
  readonly folder: string;
  /** Runs a scenario with a seed, in a process of its own. */
  perform(scenario: string, seed: number): Promise<Performed>;
  report(run: Run, measured: readonly (readonly Measured[])[]): Promise<Result>;
  say(line: string): void;
}

/** The time in s that a run is planned with if none was published. */
const UNKNOWN_S = 60;
/** Maximum number of void runs of a scenario in one call. After that it is left for a later call. */
const MAX_VOID = 3;

/**
 * Runs each scenario several times, all once before any is run again, so that the runs of one are spread over the whole time. A void run
 * is repeated. A scenario is written as soon as it has enough runs; after an interruption a call with the same commit continues.
 * @returns the scenarios without a result, and why
 */
export async function publish(publication: Publication): Promise<SkippedScenario[]> {
  const { runs, count, seed: from, commit, to, folder, say } = publication;
  for (const each of [folder, to]) mkdirSync(each, { recursive: true });
  const index = join(folder, "index.json");
  const fileOf = (scenario: string) => join(to, `${scenario}.json`);
  const known: PublishedRun[] = existsSync(index) ? readJson(index) : [];

  const skipped: SkippedScenario[] = [];
  const left = new Set<Run>();
  for (const run of runs) {
    const { name: scenario, missing } = run.scenario;
    const reason = missing?.();
    if (reason !== undefined) skipped.push({ scenario, reason });
    else if (isPublished(resultIn(fileOf(scenario)), commit, count))
      say(`${scenario}: published from this commit`);
    else left.add(run);
  }
  const giveUp = (run: Run, reason: string) => {
    left.delete(run);
    skipped.push({ scenario: run.scenario.name, reason });
    say(`${run.scenario.name}: ${reason}`);
  };
  const runsOf = ({ scenario: { name } }: Run) => known.filter(({ scenario }) => scenario === name);
  const validOf = (run: Run) => runsOf(run).filter((each) => reasonToVoid(each, known) === undefined);
  const runsLeft = (run: Run) => Math.max(0, count - validOf(run).length);
  /** Returns how many seconds a run takes: as those before, or as those that were published last. */
  const secondsOf = (run: Run) => {
    const own = runsOf(run).map(({ seconds }) => seconds);
    if (own.length > 0) return median(own);
    const last = resultIn(fileOf(run.scenario.name));
    return last ? last.seconds / countOf(last) : UNKNOWN_S;
  };
  const minutesLeft = () =>
    Math.round([...left].reduce((sum, run) => sum + runsLeft(run) * secondsOf(run), 0) / 60);
  const measure = async (run: Run) => {
    const { name } = run.scenario;
    const seed = from + runsOf(run).length;
    const { result, measured } = await publication.perform(name, seed);
    const file = `${name}.${seed}.json.gz`;
    writeFileSync(join(folder, file), gzipSync(JSON.stringify(measured)));
    const { startedAt, seconds, load } = result;
    const paces = measured.flatMap((part) => part.paces);
    const own = { scenario: name, seed, startedAt, seconds, load, paces, file };
    known.push(own);
    writeFileSync(index, `${JSON.stringify(known, undefined, 1)}\n`);
    const reason = reasonToVoid(own, known);
    const of = `run ${validOf(run).length} of ${count}, ${Math.round(seconds)} s`;
    say(`${name}: ${reason ? `void, since ${reason}` : of}; about ${minutesLeft()} minutes left`);
  };

  if (left.size > 0) say(`Planned, without runs that turn out void: about ${minutesLeft()} minutes.`);
  const attempts = new Map<Run, number>();
  while (left.size > 0) {
    for (const run of [...left]) {
      const { name } = run.scenario;
      try {
        if (runsLeft(run) > 0) {
          attempts.set(run, (attempts.get(run) ?? 0) + 1);
          await measure(run);
        }
        const valid = validOf(run);
        const voided = runsOf(run).length - valid.length;
        if (valid.length >= count) {
          const used = valid.slice(0, count);
          const measured = used.map(({ file }) => measuredIn(join(folder, file)));
          const result = withRuns(await publication.report(run, measured), used, voided);
          writeFileSync(fileOf(name), published(result));
          left.delete(run);
          say(`${name}: published`);
        } else if (attempts.get(run)! >= count + MAX_VOID)
          giveUp(run, `${voided} runs were void: try again later`);
      } catch (error) {
        giveUp(run, `failed: ${(error as Error).message.split("\n")[0]}`);
      }
    }
  }
  return skipped;
}

const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"));

const resultIn = (file: string): Result | undefined => (existsSync(file) ? readJson(file) : undefined);

const countOf = ({ runs }: Result): number => runs?.count ?? 1;

/** Whether a result is of that commit, and of at least `count` runs. */
const isPublished = (result: Result | undefined, commit: string, count: number): boolean =>
  result?.commit === commit && countOf(result) >= count;

/** Reads what a run measured. JSON has null in place of NaN. */
const measuredIn = (file: string): readonly Measured[] =>
  JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"), (_, value) => value ?? Number.NaN);

/** Returns why a run is void; undefined if it counts. The pace that it is held to is the best of all runs, of any scenario. */
function reasonToVoid({ paces, load }: PublishedRun, known: readonly PublishedRun[]): string | undefined {
  return load.warning ?? slowdownOf(paces, Math.min(...known.map((each) => median(each.paces))));
}

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

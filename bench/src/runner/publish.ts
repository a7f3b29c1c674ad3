import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { compareResults, repeatedText } from "../results/compare.js";
import type { Load } from "../results/load-guard.js";
import { thisMachine } from "../results/machine.js";
import { slowdownOf } from "../results/pace.js";
import type { Result, SkippedScenario } from "../results/result.js";
import { published } from "../results/result-file.js";
import { median } from "../statistics/series.js";
import type { CommandLine, Run } from "./command-line.js";
import type { ScenarioResponse } from "./scenario-process.js";
import type { ScenarioMessage } from "./scenario-program.js";

/** A run of a scenario that a publication consists of. */
interface PublishedRun {
  readonly scenario: string;
  readonly seed: number;
  /** The seed of the publication. */
  readonly from: number;
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
export interface Publication extends Omit<Extract<CommandLine, { action: "publish" }>, "action"> {
  readonly commit: string | undefined;
  /** The folder of the published results. */
  readonly to: string;
  /** The folder of the runs, which a later call continues from. */
  readonly folder: string;
  /** Runs a scenario, or reports its runs, in a process of its own. */
  perform(message: Omit<ScenarioMessage, "args">): Promise<ScenarioResponse>;
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
  const { runs, count, seed: from, again, trial, commit, to, folder, perform, say } = publication;
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
  const keys = new Map(runs.map((run) => [run.scenario.name, keyOf(run, commit)]));
  keep(
    known.filter(
      (each) =>
        !keys.has(each.scenario) || (keys.get(each.scenario) === each.key && (!again || each.from === from)),
    ),
  );

  const skipped: SkippedScenario[] = [];
  const left = new Set<Run>();
  /** The results that were published from this commit before. */
  const before = new Map<Run, Result>();
  for (const run of runs) {
    const { name: scenario, missing } = run.scenario;
    const reason = missing?.();
    const file = join(to, `${scenario}.json`);
    const published: Result | undefined = existsSync(file)
      ? JSON.parse(readFileSync(file, "utf8"))
      : undefined;
    const isDone =
      commit !== undefined && published?.commit === commit && (published.runs?.count ?? 1) >= count;
    if (isDone) before.set(run, published);
    if (reason !== undefined) skipped.push({ scenario, reason });
    else if (!isDone || (again && !published.runs?.repeated)) left.add(run);
    else say(`${scenario}: published from this commit${again ? ", twice" : ""}`);
  }
  const giveUp = (run: Run, reason: string) => {
    left.delete(run);
    skipped.push({ scenario: run.scenario.name, reason });
    say(`${run.scenario.name}: ${reason}`);
  };
  // No run of a trial is void, whatever else the machine does.
  const voidOf = (run: PublishedRun) => (trial ? undefined : reasonToVoid(run, known));
  const validOf = (name: string) =>
    known.filter((each) => each.scenario === name && voidOf(each) === undefined);
  /** Returns how many seconds a run takes: as those before, or as planned. */
  const secondsOf = ({ scenario: { name, plannedS } }: Run) => {
    const own = known.filter(({ scenario }) => scenario === name).map(({ seconds }) => seconds);
    return own.length > 0 ? median(own) : (plannedS ?? 0);
  };
  const runsLeft = (run: Run) => Math.max(0, count - validOf(run.scenario.name).length);
  const minutesLeft = () =>
    Math.round([...left].reduce((sum, run) => sum + runsLeft(run) * secondsOf(run), 0) / 60);
  if (left.size > 0) say(`Planned, without runs that turn out void: about ${minutesLeft()} minutes.`);
  for (const run of left)
    say(`  ${run.scenario.name.padEnd(16)}${runsLeft(run)} runs of ${Math.round(secondsOf(run))} s`);
  const attempts = new Map<Run, number>();
  while (left.size > 0) {
    for (const run of [...left]) {
      const { name } = run.scenario;
      const seed = from + known.filter(({ scenario }) => scenario === name).length;
      try {
        if (runsLeft(run) > 0) {
          attempts.set(run, (attempts.get(run) ?? 0) + 1);
          const file = `${name}.${seed}.json.gz`;
          const message = { scenario: name, run: { seed, file: join(folder, file) } };
          const { result, paces = [] } = await perform(message);
          const { startedAt, seconds, load } = result;
          const own = { scenario: name, seed, from, key: keys.get(name)!, file };
          const measured: PublishedRun = { ...own, startedAt, seconds, load, paces };
          keep([...known, measured]);
          const reason = voidOf(measured);
          const of = `run ${validOf(name).length} of ${count}, ${Math.round(measured.seconds)} s`;
          const rest = `about ${minutesLeft()} minutes left`;
          say(`${name}: ${reason === undefined ? of : `void, since ${reason}`}; ${rest}`);
        }
        const valid = validOf(name);
        const voided = known.filter(({ scenario }) => scenario === name).length - valid.length;
        if (valid.length >= count) {
          const used = valid.slice(0, count);
          const files = used.map(({ file }) => join(folder, file));
          const reported = await perform({ scenario: name, report: files });
          const result = withRuns(reported.result, used, voided);
          const first = before.get(run);
          const compared = first && compareResults(first, result);
          if (compared) say(`${name}: ${repeatedText(compared.repeated)}`);
          writeFileSync(join(to, `${name}.json`), published(compared?.result ?? result));
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

/** Returns the commit, settings, clients and machine of a run as a text. */
function keyOf(run: Run, commit: string | undefined): string {
  const { cpu, cores, node } = thisMachine();
  const parts = [run, ...run.parts].map(({ scenario: { name }, settings, clients }) => {
    return [name, { ...settings, seed: 0 }, clients.map((client) => client.name)];
  });
  return JSON.stringify([commit, parts, cpu, cores, node]);
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

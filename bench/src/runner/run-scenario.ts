import type { BenchClient } from "../client/bench-client.js";
import { decided, summaryOf } from "../results/checks.js";
import { calibrate } from "../results/pace.js";
import { grouped } from "../results/present.js";
import type { Outcome } from "../results/result.js";
import { startRig } from "../rig/rig.js";
import { GREETING } from "../rig/run-instance.js";
import type { Context, Row, Scenario, Settings } from "../scenario.js";
import { Series } from "../statistics/series.js";
import type { Progress } from "../util/progress.js";
import { allEnded, within } from "../util/promises.js";
import { randomFrom, shuffled } from "../util/random.js";
import { availableClients, versionsOf } from "./available-clients.js";

const CLOSE_MS = 60_000;
/** The least time in ms between two calibrations. */
const CALIBRATION_GAP_MS = 2_000;

export interface Measured {
  /** The samples of each case, round by round. */
  readonly cases: readonly { readonly label: string; readonly samples: readonly object[] }[];
  /** The host's calibrations in ms: before and after the run, and during it where one case runs at a time. */
  readonly paces: readonly number[];
}

/**
 * Runs a scenario: its cases in rounds of shuffled order, then its report. Everything it started is stopped.
 * @param runs earlier runs, which are reported, each as one repetition; nothing is measured then
 */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  chosen: readonly BenchClient[],
  progress: Progress,
  runs?: readonly Measured[],
): Promise<{ readonly outcome: Outcome; readonly measured: Measured }> {
  const { clients, redis, notes } = availableClients(chosen, scenario);
  const random = randomFrom(settings.seed);
  const recorded: Record<string, unknown> = {};
  const record = (more: object) => void Object.assign(recorded, more);
  const problems: string[] = [];
  /** Calls a function with a context. What it started is stopped when it has ended, the last one first. */
  const withContext = async <T>(use: (context: Context) => Promise<T>): Promise<T> => {
    const stops: (() => unknown)[] = [];
    const defer = (stop: () => unknown) => void stops.push(stop);
    const rig: Context["rig"] = async ({ greeting, ...options } = {}) => {
      const started = await startRig({ ...settings, redis, ...options }, defer);
      if (greeting) await started.command("SET", "greeting", GREETING);
      const { rttMs, tls } = { ...settings, ...options };
      record({ engine: started.engine, rttMs, tls });
      return started;
    };
    try {
      return await use({ settings, clients, random, rig, defer, record });
    } finally {
      for (const stop of stops.reverse()) {
        try {
          await within(CLOSE_MS, "It", (async () => stop())());
        } catch (error) {
          // The measurements are complete, so they are kept.
          problems.push(`A server or process of this run did not stop properly. ${(error as Error).message}`);
        }
      }
    }
  };
  const { measured, ...outcome } = await withContext(async (context) => {
    const cases: readonly object[] = await scenario.cases(context);
    const labels = cases.map((each) => scenario.label(each));
    const measured: Measured = runs
      ? { cases: [], paces: [] }
      : await runCases(scenario, cases, context, progress, (each, round, lane) =>
          withContext((own) => scenario.run(each, own, round, lane)),
        );
    const repetitionsOf = (at: number) =>
      runs ? samplesOf(runs, at, labels) : measured.cases[at]!.samples.map((sample) => [sample]);
    const rows = cases.map((each, at) => buildRow(each, repetitionsOf(at)));
    const rounds = settings.rounds * (runs?.length ?? 1);
    const report = scenario.report(rows, { ...context, settings: { ...settings, rounds } });
    const checks = settings.quick ? [] : decided(report.checks, runs?.length ?? rounds);
    const { rttMs, tls, quick } = settings;
    const own = Object.keys(scenario.defaults) as (keyof Settings)[];
    return {
      measured,
      ...report,
      checks,
      summary: quick ? "A quick run has too few repetitions for verdicts." : summaryOf(checks),
      notes: [...report.notes, ...notes],
      settings: {
        ...{ rttMs, tls, engine: "embedded", quick, clients: clients.map(({ name }) => name) },
        ...Object.fromEntries(own.map((key) => [key, settings[key]])),
        ...recorded,
      },
      versions: versionsOf(clients),
      // What JSON can hold, so that it equals what is read back from a file.
      data: JSON.parse(JSON.stringify(rows.map((row, at) => plain(row, cases[at]!)))),
    };
  });
  return { outcome: { ...outcome, notes: [...outcome.notes, ...problems] }, measured };
}

/** Returns the samples of a case by run. @throws if the runs have other cases than this version of the scenario */
function samplesOf(runs: readonly Measured[], at: number, labels: readonly string[]) {
  return runs.map(({ cases }) => {
    if (cases.length !== labels.length || cases[at]!.label !== labels[at])
      throw new Error(`A run has other cases: ${cases[at]?.label ?? "none"} in the place of ${labels[at]}.`);
    return cases[at]!.samples;
  });
}

/**
 * Runs every case once per round; the seed determines the order of groups and of the cases within. Cases of known durations run with
 * the longest first, so that all lanes end at about the same time.
 */
async function runCases(
  scenario: Scenario,
  cases: readonly object[],
  context: Context,
  progress: Progress,
  run: (each: object, round: number, lane: number) => Promise<object>,
): Promise<Measured> {
  const paces = [calibrate()];
  let calibratedAt = performance.now();
  const { settings, random } = context;
  const lanes = scenario.lanes ?? 1;
  const samples = new Map(cases.map((each) => [each, [] as object[]]));
  const groups = grouped(cases, (each) => scenario.group?.(each) ?? "");
  const queue = Array.from({ length: settings.rounds }, (_, round) =>
    shuffled(groups, random).flatMap(([, own]) =>
      shuffled(own, random).map((each) => {
        return { each, round, seconds: scenario.durationS?.(each, settings) ?? 0 };
      }),
    ),
  ).flat();
  queue.sort((a, b) => b.seconds - a.seconds);
  const seconds = queue.reduce((sum, job) => sum + job.seconds, 0) / lanes;
  progress.expect(scenario.totalS?.(context) ?? Math.max(seconds, queue[0]?.seconds ?? 0));
  const total = queue.length;
  let done = 0;
  const work = async (_: unknown, lane: number) => {
    for (let job = queue.shift(); job; job = queue.shift()) {
      progress.step(done, total, scenario.label(job.each));
      if (lanes === 1 && performance.now() - calibratedAt > CALIBRATION_GAP_MS) {
        paces.push(calibrate());
        calibratedAt = performance.now();
      }
      try {
        samples.get(job.each)![job.round] = await run(job.each, job.round, lane);
        done++;
      } catch (error) {
        queue.length = 0;
        throw error;
      }
    }
  };
  await allEnded(Array.from({ length: lanes }, work));
  paces.push(calibrate());
  const measured = Array.from(samples, ([each, own]) => ({ label: scenario.label(each), samples: own }));
  return { cases: measured, paces };
}

/** Joins a case with its samples. Each repetition has those of one round, or of all rounds of a run. */
export function buildRow<Case extends object, Sample extends object>(
  each: Case,
  repetitions: readonly (readonly Sample[])[],
): Row<Case, Sample> {
  const keys = Object.keys(repetitions[0]?.[0] ?? {}) as (keyof Sample)[];
  const folded = keys.map((key) => {
    const values = repetitions.map((samples) => samples.map((sample) => sample[key] as unknown));
    const folded = values.every(isNumeric)
      ? new Series(values.map((rounds) => (rounds as (number | number[])[]).flatMap(list)))
      : values.flat();
    return [key, folded] as const;
  });
  return { ...each, ...Object.fromEntries(folded) } as Row<Case, Sample>;
}

const isNumeric = (values: readonly unknown[]): values is (number | number[])[] =>
  values.every((value) => list(value).every((each) => typeof each === "number"));

const list = <T>(value: T | readonly T[]): readonly T[] => (Array.isArray(value) ? value : [value as T]);

/** A row for programs: all samples, and of the case its client's name and label, texts, numbers and booleans. */
function plain(row: object, each: object): Record<string, unknown> {
  const entries = Object.entries(row).flatMap(([key, value]) => {
    if (!(key in each)) return [[key, value] as const];
    if (key === "client") return [["client", value.name] as const, ["label", value.label] as const];
    return ["string", "number", "boolean"].includes(typeof value) ? [[key, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

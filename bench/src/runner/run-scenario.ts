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
import { randomFrom, shuffled } from "../util/random.js";
import { within } from "../util/within.js";
import { availableClients, versionsOf } from "./available-clients.js";

/** The longest time in ms for stopping a server or process. */
const CLOSE_MS = 60_000;

/** The least time in ms between two calibrations. */
const CALIBRATE_MS = 2_000;

type Samples = Map<object, object[]>;

/** What one run of a scenario measured. */
export interface Measured {
  /** The samples of each case, round by round. */
  readonly cases: readonly { readonly label: string; readonly samples: readonly object[] }[];
  /** The host's calibrations before and during the run, in ms. */
  readonly paces: readonly number[];
}

/** How a run is part of a publication. */
export interface Part {
  /** Reports these runs, each one repetition, and measures nothing. */
  readonly of?: readonly Measured[];
  /** Receives what was measured. */
  readonly onMeasured?: (measured: Measured) => void;
}

/** Runs a scenario: its cases in rounds of shuffled order, then its report. Everything it started is stopped. */
export async function runScenario(
  scenario: Scenario,
  settings: Settings,
  chosen: readonly BenchClient[],
  progress: Progress,
  part: Part = {},
): Promise<Outcome> {
  const { clients, redis, notes } = availableClients(chosen, scenario);
  const closing: (() => unknown)[] = [];
  let recorded: Record<string, unknown> = {};
  const context: Context = {
    settings,
    clients,
    progress,
    random: randomFrom(settings.seed),
    rig: async ({ greeting, ...options } = {}) => {
      const rig = await startRig({ ...settings, redis, ...options });
      closing.push(() => rig.close());
      if (greeting) await rig.command("SET", "greeting", GREETING);
      const { rttMs, tls } = { ...settings, ...options };
      recorded = { ...recorded, engine: rig.engine, rttMs, tls };
      return rig;
    },
    defer: (close) => void closing.push(close),
    record: (more) => {
      recorded = { ...recorded, ...more };
    },
  };
  const failures: string[] = [];
  const measure = async (): Promise<Outcome> => {
    const offered = await scenario.cases(context);
    const cases = offered.filter((each: object) => !isImpossible(each));
    const samples: Samples = new Map(cases.map((each: object) => [each, []]));
    const labels: string[] = cases.map((each: object) => scenario.label(each));
    if (!part.of) {
      const paces = await runCases(scenario, context, cases, samples);
      part.onMeasured?.({
        cases: cases.map((each: object, at: number) => ({ label: labels[at]!, samples: samples.get(each)! })),
        paces,
      });
    }
    const rows = cases.map((each: object, at: number) =>
      part.of
        ? buildRow(each, samplesOf(part.of, at, labels))
        : buildRow(
            each,
            samples.get(each)!.map((sample) => [sample]),
          ),
    );
    const runs = part.of?.length ?? 1;
    const report = scenario.report(rows, {
      ...context,
      settings: { ...settings, rounds: settings.rounds * runs },
    });
    const checks = settings.quick ? [] : decided(report.checks, part.of?.length ?? settings.rounds);
    const { rttMs, tls, quick } = settings;
    return {
      ...report,
      checks,
      summary: settings.quick ? "A quick run has too few repetitions for verdicts." : summaryOf(checks),
      notes: [...report.notes, ...notesOnImpossible(offered), ...notes],
      settings: {
        rttMs,
        tls,
        engine: "embedded",
        quick,
        clients: clients.map(({ name }) => name),
        ...Object.fromEntries(
          Object.keys(scenario.defaults).map((key) => [key, settings[key as keyof Settings]]),
        ),
        ...recorded,
      },
      versions: versionsOf(clients),
      // As JSON has it, so that every reader finds the same.
      data: JSON.parse(JSON.stringify(rows.map((row, at) => plain(row, cases[at]!)))),
    };
  };
  const outcome = await measure().finally(async () => {
    for (const close of closing.reverse()) {
      const closed = (async () => close())();
      await within(CLOSE_MS, "It", closed).catch((error) => failures.push(String(error?.message ?? error)));
    }
  });
  // The measurements are whole, so that they are kept.
  const problems = failures.map(
    (message) => `A server or process of this run did not stop properly. ${message}`,
  );
  return { ...outcome, notes: [...outcome.notes, ...problems] };
}

/** Returns the samples of a case by run. @throws if the runs have other cases than this version of the scenario */
function samplesOf(
  runs: readonly Measured[],
  at: number,
  labels: readonly string[],
): readonly (readonly object[])[] {
  return runs.map(({ cases }) => {
    if (cases.length !== labels.length || cases[at]!.label !== labels[at])
      throw new Error(`A run has other cases: ${cases[at]?.label ?? "none"} in the place of ${labels[at]}.`);
    return cases[at]!.samples;
  });
}

/** Whether a case turns keep-alive off for a client that cannot. */
const isImpossible = ({ client, keepAlive }: { client?: BenchClient; keepAlive?: boolean }): boolean =>
  keepAlive === false && client?.alwaysKeepsAlive === true;

/** Returns a note for each client of which cases were left out. */
function notesOnImpossible(cases: readonly { client?: BenchClient; keepAlive?: boolean }[]): string[] {
  const labels = new Set(cases.filter(isImpossible).map(({ client }) => client!.label));
  return [...labels].map(
    (label) => `${label} is not measured with keep-alive off: the platform decides about its connections.`,
  );
}

/**
 * Runs every case once per round; the seed determines the order of groups and of the cases within.
 * @returns the host's calibrations, in ms: before the first case, and between cases if one runs at a time
 */
async function runCases(
  scenario: Scenario,
  context: Context,
  cases: readonly object[],
  samples: Samples,
): Promise<readonly number[]> {
  const paces = [calibrate()];
  let calibratedAt = performance.now();
  const { settings, random, progress } = context;
  const secondsOf = ({ each }: { each: object }) => scenario.durationS?.(each, settings) ?? 0;
  const groups = grouped(cases, (each) => scenario.group?.(each) ?? "");
  const total = cases.length * settings.rounds;
  const lanes = scenario.lanes ?? 1;
  const seconds = cases.map((each) => secondsOf({ each }));
  progress.plan(atLeastS(seconds, lanes, settings.rounds));
  progress.expect(scenario.totalS?.(context) ?? 0);
  let done = 0;
  const runRounds = async (some: typeof groups) => {
    const jobs = Array.from({ length: settings.rounds }, (_, round) =>
      shuffled(some, random).flatMap(([, own]) => shuffled(own, random).map((each) => ({ each, round }))),
    ).flat();
    const queue = scenario.durationS ? spread(jobs, lanes, secondsOf, random) : jobs;
    let next = 0;
    const work = async (_: unknown, lane: number) => {
      for (let job = queue[next++]; job; job = queue[next++]) {
        progress.step(done, total, scenario.label(job.each));
        if (lanes === 1 && performance.now() - calibratedAt > CALIBRATE_MS) {
          paces.push(calibrate());
          calibratedAt = performance.now();
        }
        try {
          samples.get(job.each)![job.round] = await scenario.run(job.each, context, job.round, lane);
          done++;
        } catch (error) {
          next = queue.length;
          throw error;
        }
      }
    };
    const ended = await Promise.allSettled(Array.from({ length: lanes }, work));
    const failed = ended.find((each) => each.status === "rejected");
    if (failed) throw failed.reason;
  };
  if (!scenario.session) await runRounds(groups);
  for (const group of scenario.session ? shuffled(groups, random) : []) {
    const close = await scenario.session!(group[1], context);
    try {
      await runRounds([group]);
    } finally {
      await close();
    }
  }
  return [...paces, calibrate()];
}

/**
 * Mixes jobs for some lanes. Each gets a random place in the time that all of them take, early enough to end within that time,
 * so that no lane is left with a long job while the others have none.
 */
export function spread<Job>(
  jobs: readonly Job[],
  lanes: number,
  secondsOf: (job: Job) => number,
  random: () => number,
): Job[] {
  const seconds = jobs.map(secondsOf);
  const total = Math.max(1, atLeastS(seconds, lanes));
  return jobs
    .map((job, at) => ({ job, startS: random() * (total - seconds[at]!) }))
    .sort((a, b) => a.startS - b.startS)
    .map(({ job }) => job);
}

/** Returns how many seconds jobs of these durations, each repeated `times`, take in some lanes at least. */
const atLeastS = (seconds: readonly number[], lanes: number, times = 1): number =>
  Math.max((times * seconds.reduce((sum, each) => sum + each, 0)) / lanes, ...seconds);

/**
 * Puts a case and its samples together.
 * @param repetitions the samples of each repetition: of one round, or of all rounds of a run
 */
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

/** A row for programs: all samples, and of the case its client's name and plain values. */
function plain(row: object, each: object): Record<string, unknown> {
  const entries = Object.entries(row).flatMap(([key, value]) => {
    if (!(key in each)) return [[key, value] as const];
    if (key === "client") return [["client", value.name] as const, ["label", value.label] as const];
    return ["string", "number", "boolean"].includes(typeof value) ? [[key, value] as const] : [];
  });
  return Object.fromEntries(entries);
}

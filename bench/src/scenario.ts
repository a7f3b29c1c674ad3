import { findRedisServer, NO_REDIS } from "warmline-testbed";
import type { BenchClient } from "./client/bench-client.js";
import type { ScenarioClients } from "./client/choose-clients.js";
import type { Report } from "./results/result.js";
import type { Defer, Rig, RigOptions } from "./rig/rig.js";
import type { Series } from "./statistics/series.js";

/** Settings of a run, from the command line and the scenario's defaults. */
export interface Settings {
  /** Fewer repetitions, for a look rather than for numbers. */
  readonly quick: boolean;
  readonly rttMs: number;
  /** The round-trip times of `--rtt`; undefined if the scenario is to choose. */
  readonly rtts: readonly number[] | undefined;
  readonly tls: boolean;
  readonly seed: number;
  /** Invocations, commands or trials per round, as the scenario defines them. */
  readonly invocations: number;
  readonly rounds: number;
  /** Duration of the load in s. */
  readonly seconds: number;
  /** The function's sizes in MB of `--memory`; undefined if the scenario is to choose. */
  readonly sizes: readonly number[] | undefined;
}

/** Numbers of a full run and of a quick one. */
type Pair = readonly [full: number, quick: number];

/** The defaults of a scenario; the command line overrides each. */
interface Defaults {
  readonly rounds: Pair;
  readonly invocations?: Pair;
  readonly seconds?: Pair;
}

/** The means of a scenario during a run. */
export interface Context {
  readonly settings: Settings;
  /** The clients to measure, without those that cannot run here. */
  readonly clients: readonly BenchClient[];
  readonly random: () => number;
  /**
   * Starts a gateway, its Redis and a proxy; they stop at the end, as with `defer`. Default: the settings' round trip and TLS. With
   * `greeting` it stores the key of that name, which the measured functions read.
   */
  rig(options?: Partial<RigOptions> & { readonly greeting?: boolean }): Promise<Rig>;
  /** Registers a function that runs at the end of the scenario, or of the run of a case that registers it; the last one first. */
  readonly defer: Defer;
  /** Records a setting that a reader of the results needs. */
  record(settings: Readonly<Record<string, unknown>>): void;
}

/** A case with its samples: numbers become a {@link Series} over the rounds, other values an array by round. */
export type Row<Case, Sample> = Case & {
  readonly [Key in keyof Sample]: Exclude<Sample[Key], undefined> extends number | readonly number[]
    ? Series
    : readonly Sample[Key][];
};

export interface ScenarioDefinition<Case extends object, Sample extends object> extends ScenarioClients {
  readonly title: string;
  /** The question that the scenario answers, in one sentence. */
  readonly question: string;
  /** Whether it can measure several round-trip times in one run. */
  readonly distances?: boolean;
  /** Whether it measures several sizes of the function's memory (`--memory`). */
  readonly sizes?: boolean;
  /** Options of the way to the server that it sets itself, so that the command line cannot. Default: none. */
  readonly fixed?: readonly ("rtt" | "tls")[];
  readonly defaults: Defaults;
  /** The number of cases that run at once. Default 1. */
  readonly lanes?: number;
  /** Returns about how many seconds a run of the case takes, for scenarios with lanes whose cases differ: the longest run first. */
  durationS?(each: NoInfer<Case>, settings: Settings): number;
  /** Returns about how many seconds the whole run takes on an idle machine. Default: not known before it runs. */
  totalS?(context: Pick<Context, "settings" | "clients">): number;
  /** Returns why it cannot run on this machine, as "needs ..."; undefined if it can. */
  missing?(): string | undefined;
  /** Starts what all cases need, and returns them. */
  cases(context: Context): readonly Case[] | Promise<readonly Case[]>;
  /** The case in the progress line. */
  label(each: NoInfer<Case>): string;
  /** Cases of one group are compared, so they run one after the other. Default: all are one group. */
  group?(each: NoInfer<Case>): string;
  /** Measures a case once. `lane` is below the number of lanes. */
  run(each: NoInfer<Case>, context: Context, round: number, lane: number): Promise<Sample>;
  /** Further parts of the question, which run after it: each has cases and a table of its own. */
  readonly parts?: readonly Scenario[];
  /** Builds tables, charts and checks from the measurements. */
  report(rows: readonly Row<NoInfer<Case>, NoInfer<Sample>>[], context: Context): Report;
}

/** A scenario of any cases and samples. Each is a file in `scenarios/` whose default export this is, or in `parts/` if it is part of another. */
export type Scenario = ScenarioDefinition<any, any>;

/** Returns why a scenario that needs a Redis cannot run on this machine; undefined if it can. */
export const redisMissing = () => (findRedisServer() ? undefined : NO_REDIS);

/** Defines a scenario. The runner starts and stops its servers, runs the rounds, and words the verdicts. */
export function defineScenario<Case extends object, Sample extends object>(
  definition: ScenarioDefinition<Case, Sample>,
): Scenario {
  return definition;
}

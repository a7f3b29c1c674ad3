import type { BenchClient } from "./bench-client.js";
import type { Progress } from "./progress.js";
import type { Outcome } from "./result.js";

/** Settings from the command line, for every scenario. */
export interface Settings {
  /** Fewer repetitions, for a look rather than for figures. */
  readonly quick: boolean;
  /** Round-trip time in milliseconds. */
  readonly rttMs: number;
  /** The round-trip times that the command line names; none where the scenario is to choose. */
  readonly rtts: readonly number[] | undefined;
  readonly tls: boolean;
  readonly seed: number;
  /** The gateway's `--engine`. */
  readonly engine: string;
  /** Overrides the scenario's number of invocations. */
  readonly invocations: number | undefined;
  /** Overrides the scenario's number of rounds. */
  readonly rounds: number | undefined;
  /** Overrides how long the scenario drives load, in seconds. */
  readonly seconds: number | undefined;
  /** How many times faster than real its timeline passes; the scenario chooses where none is given. */
  readonly speedup: number | undefined;
  /** The sizes of a function in MB that the command line names; none where the scenario is to choose. */
  readonly sizes: readonly number[] | undefined;
  /** The Node to run measured processes under, where the scenario has such; by default those that it finds. */
  readonly node: string | undefined;
  /** The clients to measure. */
  readonly clients: readonly BenchClient[];
  readonly progress: Progress;
}

/** An experiment. Each is a file in `scenarios/` whose default export this is. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** The question that the scenario answers, in one sentence. */
  readonly question: string;
  /**
   * The clients that it measures where the command line names none: by default the standard ones. `[]` where it has
   * clients of its own, and the command line can't name any.
   */
  readonly clients?: "all" | readonly string[];
  /** Whether it can measure several round-trip times in one run. */
  readonly distances?: boolean;
  /** Its place among all scenarios; those without one come last. */
  readonly order?: number;
  /** Why it cannot run on this machine, as "needs ..."; undefined where it can. */
  missing?(): string | undefined;
  run(settings: Settings): Promise<Outcome>;
}

import type { Peer } from "./peer.js";
import type { Progress } from "./progress.js";
import type { Outcome } from "./result.js";

/** What the command line decides, for every scenario. */
export interface Settings {
  /** Fewer repetitions, for a look rather than for figures. */
  readonly quick: boolean;
  /** Round-trip time in milliseconds. */
  readonly rttMs: number;
  readonly tls: boolean;
  readonly seed: number;
  /** The gateway's `--engine`. */
  readonly engine: string;
  /** Overrides the scenario's number of invocations. */
  readonly invocations: number | undefined;
  /** Overrides the scenario's number of rounds. */
  readonly rounds: number | undefined;
  /** The clients to measure. */
  readonly peers: readonly Peer[];
  readonly progress: Progress;
}

/** An experiment. Each is a file in `scenarios/` whose default export this is. */
export interface Scenario {
  readonly name: string;
  readonly title: string;
  /** What it answers, in one sentence. */
  readonly question: string;
  run(settings: Settings): Promise<Outcome>;
}

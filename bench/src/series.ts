import { Latencies, type LatencyStats, type Spread, spreadOf } from "./latencies.js";

/** Latencies of one case, measured in rounds. */
export interface CaseLatencies {
  /** The median of each round: its middle, and how far the rounds lie apart. */
  readonly rounds: Spread & { readonly count: number };
  /** All latencies together. */
  readonly all: LatencyStats;
}

/** Collects what is measured of one case, round by round. */
export class Series<Case extends object> {
  private readonly all = new Latencies();
  private readonly medians: number[] = [];

  constructor(readonly of: Case) {}

  /** Adds a round's latencies, in ms. */
  add(latenciesMs: readonly number[]): void {
    const round = new Latencies();
    for (const latency of latenciesMs) {
      round.record(latency);
      this.all.record(latency);
    }
    this.medians.push(round.percentile(50));
  }

  measured(): CaseLatencies {
    return {
      rounds: { ...spreadOf(this.medians), count: this.medians.length },
      all: this.all.stats(),
    };
  }
}

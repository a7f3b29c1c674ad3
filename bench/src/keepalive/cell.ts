import type { BenchClient, Variant } from "../bench-client.js";
import { Latencies, type LatencyStats, type Spread, spreadOf } from "../latencies.js";

/** One client in one of the four scenarios: all that was measured of it. */
export class Cell {
  private readonly warm = new Latencies();
  private readonly firsts: number[] = [];
  private readonly inits: number[] = [];
  private invocations = 0;
  private connections = 0;

  constructor(
    readonly client: BenchClient,
    readonly variant: Variant,
  ) {}

  /**
   * Adds one instance's life.
   * @param initMs from starting the process to its first request for an invocation
   * @param latenciesMs of each invocation, the first one first
   * @param connections that the gateway saw
   */
  add(initMs: number, latenciesMs: readonly number[], connections: number): void {
    const [first, ...rest] = latenciesMs;
    this.inits.push(initMs);
    this.firsts.push(first!);
    for (const ms of rest) this.warm.record(ms);
    this.invocations += latenciesMs.length;
    this.connections += connections;
  }

  measured(): Measurement {
    return {
      client: this.client.name,
      label: this.client.label,
      keepAlive: this.variant.keepAlive,
      reused: this.variant.reused,
      instances: this.firsts.length,
      invocations: this.invocations,
      connections: this.connections,
      init: spreadOf(this.inits),
      first: spreadOf(this.firsts),
      warm: this.warm.stats(),
    };
  }
}

/** A cell's numbers; all times in milliseconds. */
export interface Measurement {
  readonly client: string;
  readonly label: string;
  readonly keepAlive: boolean;
  readonly reused: boolean;
  readonly instances: number;
  readonly invocations: number;
  /** Connections opened, as the server's side of the path counted them. */
  readonly connections: number;
  /** The init phase of each instance. */
  readonly init: Spread;
  /** The first invocation of each instance. */
  readonly first: Spread;
  /** All later invocations. */
  readonly warm: LatencyStats;
}

/** The cell of a client in a scenario. */
export function pick(
  cells: readonly Measurement[],
  client: string,
  keepAlive: boolean,
  reused: boolean,
): Measurement {
  return cells.find(
    (cell) => cell.client === client && cell.keepAlive === keepAlive && cell.reused === reused,
  )!;
}

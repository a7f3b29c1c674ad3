import { type Spread, spreadOf } from "../ratios.js";
import type { JobResult } from "../worker/jobs.js";
import type { Cell } from "./cells.js";
import type { WarmClientName } from "./measure.js";

/** The time and CPU that a client needs for one command of a cell. */
export interface WarmRow {
  readonly node: string;
  readonly cell: string;
  readonly group: Cell["group"];
  readonly client: WarmClientName;
  readonly perSecond: Spread;
  /** us. */
  readonly cpu: Spread;
  /** Latencies of single calls, in us; 0 where calls overlap in one turn. */
  readonly p50: Spread;
  readonly p99: Spread;
}

export function warmRow(
  node: string,
  { name, group, commandsPerCall }: Cell,
  client: WarmClientName,
  rounds: readonly JobResult[],
): WarmRow {
  const spread = (of: (took: JobResult) => number) => spreadOf(rounds.map(of));
  return {
    node,
    cell: name,
    group,
    client,
    perSecond: spread(({ count, ms }) => (count * commandsPerCall * 1_000) / ms),
    cpu: spread(({ count, cpuUs }) => cpuUs / (count * commandsPerCall)),
    p50: spread(({ p50 }) => p50),
    p99: spread(({ p99 }) => p99),
  };
}

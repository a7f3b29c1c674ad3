import type { FaultClient } from "../bench-client.js";
import type { Fault } from "./fault.js";
import type { Verdict } from "./judge.js";

/** All that one fault did to one client. */
export class Tally {
  private readonly verdicts: Verdict[] = [];

  constructor(
    readonly group: string,
    readonly fault: Fault,
    readonly client: FaultClient,
  ) {}

  add(verdicts: readonly Verdict[]): void {
    this.verdicts.push(...verdicts);
  }

  measured(): Measurement {
    const { verdicts, fault, client } = this;
    const count = (ending: Verdict["ending"]) =>
      verdicts.filter((verdict) => verdict.ending === ending).length;
    return {
      group: this.group,
      fault: fault.title,
      hopeless: fault.hopeless ?? false,
      client: client.name,
      label: client.label,
      calls: verdicts.length,
      resolved: count("resolved"),
      failed: count("failed"),
      unknown: verdicts.filter(({ unknown }) => unknown).length,
      hung: count("hung"),
      wrong: verdicts.filter(({ wrong }) => wrong).length,
      doubled: verdicts.reduce((sum, { doubled }) => sum + doubled, 0),
      longestMs: Math.max(...verdicts.map(({ ms }) => ms)),
    };
  }
}

/** The results of one client under one fault. */
export interface Measurement {
  readonly group: string;
  readonly fault: string;
  /** Whether no response is possible within the function's timeout. */
  readonly hopeless: boolean;
  readonly client: string;
  readonly label: string;
  readonly calls: number;
  readonly resolved: number;
  /** Rejected. */
  readonly failed: number;
  /** Rejected calls whose error says that the write may have been applied. */
  readonly unknown: number;
  /** Not settled when the function's time was up. */
  readonly hung: number;
  /** Resolved with something else than the command's value. */
  readonly wrong: number;
  /** Duplicate writes, counted at the server. */
  readonly doubled: number;
  /** The longest that a call took until it settled, in ms; the function's time if one never did. */
  readonly longestMs: number;
}

type Count = "calls" | "resolved" | "failed" | "unknown" | "hung" | "wrong" | "doubled";

/** The sum over some rows. */
export function total(rows: readonly Measurement[], what: Count): number {
  return rows.reduce((sum, row) => sum + row[what], 0);
}

/** The rows of each client, in the order of the table. */
export function byClient(
  rows: readonly Measurement[],
): { client: string; label: string; rows: Measurement[] }[] {
  const clients = new Map(rows.map(({ client, label }) => [client, label]));
  return [...clients].map(([client, label]) => ({
    client,
    label,
    rows: rows.filter((row) => row.client === client),
  }));
}

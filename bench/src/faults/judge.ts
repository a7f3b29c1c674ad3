import type { Series } from "../statistics/series.js";
import type { Call, CallResult } from "./calls.js";

/** Counts of how calls ended, and the longest time. */
export interface Ending {
  readonly calls: number;
  /** Promises that resolved, rejected, or had not settled when the function's time was up. */
  readonly resolved: number;
  readonly failed: number;
  readonly hung: number;
  /** Calls that resolved with a wrong value, or although the write was not applied. */
  readonly wrong: number;
  /** Number of times that writes were applied again. */
  readonly doubled: number;
  /** The longest time until a call settled, in ms; the function's time if one never did. */
  readonly ms: number;
}

/** The label of each count. */
export const COUNTS = {
  calls: "calls",
  resolved: "resolved",
  failed: "rejected",
  hung: "hung",
  doubled: "duplicate writes",
  wrong: "wrong values",
};

/** Adds up counts. The time is the longest one. */
export function endingsOf(endings: readonly Ending[]): Ending {
  const sumOf = (key: keyof Ending) => endings.reduce((sum, each) => sum + each[key], 0);
  const sums = Object.keys(COUNTS).map((key) => [key, sumOf(key as keyof Ending)]);
  return { ...Object.fromEntries(sums), ms: Math.max(...endings.map(({ ms }) => ms)) };
}

export const total = <K extends string>(rows: readonly { readonly [Key in K]: Series }[], key: K): number =>
  rows.reduce((sum, row) => sum + row[key].total, 0);

/** The value that is stored under a key before the trial, for reads. */
export const stored = (key: string): string => `value of ${key}`;

/**
 * Returns how a call ended.
 * @param settled what the function saw; undefined when its time was up
 * @param found what is stored under the call's key after the trial
 * @param limit the function's time, in ms
 */
export function judge(call: Call, settled: CallResult | undefined, found: unknown, limit: number): Ending {
  const { ms = limit, failed = false, value } = settled ?? {};
  const resolved = settled !== undefined && !failed;
  return {
    calls: 1,
    resolved: Number(resolved),
    failed: Number(failed),
    hung: Number(settled === undefined),
    wrong: Number(resolved && !isRight(call, value, found)),
    doubled: timesTooOften(call, found),
    ms,
  };
}

function timesTooOften({ command, overwrittenWith }: Call, found: unknown): number {
  if (command === "incr") return Math.max(0, Number(found ?? 0) - 1);
  // A repeat of the write has overwritten the value of another client.
  return overwrittenWith !== undefined && found !== overwrittenWith ? 1 : 0;
}

function isRight({ command, key, value, overwrittenWith }: Call, returned: unknown, found: unknown): boolean {
  if (command === "get") return returned === stored(key);
  if (command === "hgetall") return (returned as { f?: unknown } | null)?.f === stored(key);
  if (command === "set") return returned === "OK" && (found === value || overwrittenWith !== undefined);
  // A duplicate increment returns the stored sum. It counts as doubled, not as wrong too.
  return typeof returned === "number" && returned === Number(found);
}

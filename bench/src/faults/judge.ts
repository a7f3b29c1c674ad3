import type { Series } from "../series.js";
import type { Call, CallResult } from "./calls.js";

/** The verdict on one call. */
export interface Verdict {
  /** The promise resolved, rejected, or had not settled when the function's time was up. */
  readonly ending: "resolved" | "failed" | "hung";
  /** It rejected and said that the write may have been applied. */
  readonly unknown: boolean;
  /** It resolved with what is not the command's value, or although the write was not applied. */
  readonly wrong: boolean;
  /** How often the write was applied beyond the first time. */
  readonly doubled: number;
  readonly ms: number;
}

/** A verdict as numbers, which are added up over trials. */
export interface Ending {
  readonly calls: number;
  readonly resolved: number;
  readonly failed: number;
  /** Rejected calls whose error says that the write may have been applied. */
  readonly unknown: number;
  readonly hung: number;
  readonly wrong: number;
  readonly doubled: number;
  /** How long the call took until it settled; the function's time if it never did. */
  readonly ms: number;
}

/** The titles of the numbers that are added up. */
export const COUNTS = {
  calls: "calls",
  resolved: "resolved",
  failed: "rejected",
  hung: "hung",
  doubled: "duplicate writes",
  wrong: "wrong values",
};

/** Returns a verdict as numbers. */
export const endingOf = ({ ending, unknown, wrong, doubled, ms }: Verdict): Ending => ({
  calls: 1,
  resolved: Number(ending === "resolved"),
  failed: Number(ending === "failed"),
  unknown: Number(unknown),
  hung: Number(ending === "hung"),
  wrong: Number(wrong),
  doubled,
  ms,
});

/** Returns the numbers of several verdicts; the longest time. */
export const endingsOf = (verdicts: readonly Verdict[]): Ending =>
  verdicts.map(endingOf).reduce((sum, each) => ({
    calls: sum.calls + each.calls,
    resolved: sum.resolved + each.resolved,
    failed: sum.failed + each.failed,
    unknown: sum.unknown + each.unknown,
    hung: sum.hung + each.hung,
    wrong: sum.wrong + each.wrong,
    doubled: sum.doubled + each.doubled,
    ms: Math.max(sum.ms, each.ms),
  }));

/** Returns the sum of a number over rows. */
export const total = <K extends string>(rows: readonly { readonly [Key in K]: Series }[], key: K): number =>
  rows.reduce((sum, row) => sum + row[key].total, 0);

/** The value that reads find under a key; stored before the trial. */
export const stored = (key: string): string => `value of ${key}`;

/**
 * @param settled what the function saw; undefined when its time was up
 * @param found what is stored under the call's key after the trial
 * @param limit the function's time, in ms
 */
export function judge(call: Call, settled: CallResult | undefined, found: unknown, limit: number): Verdict {
  const doubled = timesTooOften(call, found);
  if (!settled) return { ending: "hung", unknown: false, wrong: false, doubled, ms: limit };
  const { ms, error, value } = settled;
  if (error) {
    const unknown = error.outcome === "unknown" && call.command !== "get" && call.command !== "hgetall";
    return { ending: "failed", unknown, wrong: false, doubled, ms };
  }
  return { ending: "resolved", unknown: false, wrong: !isRight(call, value, found), doubled, ms };
}

function timesTooOften({ command, overwrittenWith }: Call, found: unknown): number {
  if (command === "incr") return Math.max(0, Number(found ?? 0) - 1);
  // A repeat of the write has undone another client's.
  return overwrittenWith !== undefined && found !== overwrittenWith ? 1 : 0;
}

function isRight({ command, key, value, overwrittenWith }: Call, given: unknown, found: unknown): boolean {
  if (command === "get") return given === stored(key);
  if (command === "hgetall") return (given as { f?: unknown } | null)?.f === stored(key);
  if (command === "set") return given === "OK" && (found === value || overwrittenWith !== undefined);
  // A duplicate increment returns the stored sum. It counts as doubled, not as wrong too.
  return typeof given === "number" && given === Number(found);
}

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

import { setTimeout as pause } from "node:timers/promises";

/**
 * Calls `run` at fixed times, whether or not earlier calls have ended, and waits for all of them.
 * @param times when calls are due, in ms from now
 * @param run receives the time from which the call counts, by the clock of `performance`: a timer may fire a little early; then it is
 * the call's start, else the time at which it is due
 */
export async function runAt(
  times: Iterable<number>,
  run: (from: number, index: number) => Promise<unknown>,
): Promise<void> {
  const begunAt = performance.now();
  const running: Promise<unknown>[] = [];
  for (const time of times) {
    const due = begunAt + time;
    if (due - performance.now() > 1) await pause(due - performance.now());
    running.push(run(Math.min(due, performance.now()), running.length));
  }
  await Promise.all(running);
}

/** Returns times at a fixed rate, from 0 until `totalMs`. */
export const everyMs = (gapMs: number, totalMs: number): number[] =>
  Array.from({ length: Math.ceil(totalMs / gapMs) }, (_, n) => n * gapMs);

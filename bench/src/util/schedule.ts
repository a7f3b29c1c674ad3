import { setTimeout as pause } from "node:timers/promises";

/**
 * Calls `run` at fixed times, in ms from now, whether or not earlier calls have ended, and waits for all of them. It receives the time
 * from which the call counts: when it was due or, if a timer fired early, its start.
 */
export async function runAt(times: Iterable<number>, run: (from: number, index: number) => Promise<unknown>) {
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

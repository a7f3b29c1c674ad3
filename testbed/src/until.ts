import { setTimeout as pause } from "node:timers/promises";

/** Repeats a check every `pauseMs` until it returns true. @throws after `timeoutMs`, with the problem as message */
export async function until(
  check: () => boolean | undefined | Promise<boolean | undefined>,
  problem: string,
  { timeoutMs = 10_000, pauseMs = 1 } = {},
): Promise<void> {
  const end = performance.now() + timeoutMs;
  while (!(await check())) {
    if (performance.now() > end) throw new Error(problem);
    await pause(pauseMs);
  }
}

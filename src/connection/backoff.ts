const FIRST = 50;
const LONGEST = 2_000;

/**
 * The default wait before the nth retry, from 0, in ms: exponential, with full jitter above the half so that
 * instances that failed together don't come back together.
 */
export function jitteredBackoff(retry: number): number {
  const ceiling = Math.min(LONGEST, FIRST * 2 ** retry);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

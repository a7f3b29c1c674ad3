const INITIAL_WAIT = 50;
const MAX_WAIT = 2_000;

/**
 * The default wait before the nth retry, from 0, in ms: exponential, with full jitter above the half so that
 * instances that failed together don't come back together.
 */
export function jitteredBackoff(retry: number): number {
  const ceiling = Math.min(MAX_WAIT, INITIAL_WAIT * 2 ** retry);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

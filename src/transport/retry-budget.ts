import { elapsed, moment } from "../util/clock.js";

/** The number of retries and the pauses before them. */
export interface RetryPolicy {
  /** Maximum number of retries. */
  readonly retries: number;
  /** Returns the wait before the nth retry, from 0, in ms. */
  backoff(retry: number): number;
}

/** The retries and the time that a call, a pipeline or an event stream has left. */
export class RetryBudget {
  /** The number of retries so far. */
  retried = 0;
  /** The start on the monotonic and the wall clock, because the monotonic one may stand still during a freeze. */
  readonly began = moment();

  /** @param timeout the time for all attempts and waits, in ms. */
  constructor(
    private readonly policy: RetryPolicy,
    readonly timeout: number,
  ) {}

  /** The time that is left, in ms. Below 0 when the time is up. */
  get timeLeft(): number {
    return this.timeout - elapsed(this.began);
  }

  /**
   * Counts a retry and returns the wait before it in ms. Returns undefined if no retry is left, or not enough time for the wait.
   * @param wait default: the policy's.
   */
  next(wait?: number): number | undefined {
    const { retried, policy } = this;
    if (retried >= policy.retries) return undefined;
    const ms = wait ?? policy.backoff(retried);
    if (!(ms < this.timeLeft)) return undefined;
    this.retried++;
    return ms;
  }
}

const INITIAL_WAIT = 50;
const MAX_WAIT = 2_000;

/**
 * Returns the default wait before the nth retry, from 0, in ms. It doubles each time, and its upper half is random, so that
 * instances that failed together don't retry together.
 */
export function jitteredBackoff(retry: number): number {
  const ceiling = Math.min(MAX_WAIT, INITIAL_WAIT * 2 ** retry);
  return ceiling / 2 + (Math.random() * ceiling) / 2;
}

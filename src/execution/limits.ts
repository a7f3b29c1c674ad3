import { assertConfig } from "../options/assert-config.js";
import { isSignal, throwIfAborted } from "../util/abort.js";
import { elapsed, moment } from "../util/clock.js";
import { MAX_TIMER, within } from "../util/timers.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Settings } from "./settings.js";
import { createTimeoutError } from "./verdict.js";

/** Time in ms between the end of a call and the deadline, for the handler to respond. */
const DEADLINE_MARGIN = 50;

/** The signal and the time of a call, both read when the call is made. */
export class Limits {
  readonly signal: AbortSignal | undefined;
  readonly #timeout: number;
  readonly #deadline: number;
  readonly #began = moment();

  /**
   * @throws ConfigError if the function of the signal or the deadline returns another type; what such a function throws; the
   * reason of an aborted signal.
   */
  constructor(settings: Settings) {
    this.signal = getSignal(settings);
    throwIfAborted(this.signal);
    this.#timeout = settings.timeout;
    this.#deadline = getRemainingTime(settings);
  }

  /**
   * Returns the time of the call in ms.
   * @param wait time in ms for which the command may block at the server. Added to the timeout.
   */
  time(wait = 0): number {
    return Math.max(0, Math.min(this.#timeout + wait, this.#deadline, MAX_TIMER));
  }

  /** Returns the rest of {@link time} in ms. */
  left(wait?: number): number {
    return Math.max(0, this.time(wait) - elapsed(this.#began));
  }
}

/** Returns the limits of a call made now, or undefined if it has only the timeout. @throws as {@link Limits} does. */
export function createLimits(settings: Settings): Limits | undefined {
  return settings.signal || settings.deadline ? new Limits(settings) : undefined;
}

/** Returns the time that a call has left, in ms. @param wait see {@link Limits.time}. */
export function timeLeft({ timeout }: Settings, limits: Limits | undefined, wait = 0): number {
  return limits ? limits.left(wait) : Math.min(timeout + wait, MAX_TIMER);
}

/**
 * Calls the platform's hook before a command, in the asynchronous context of the caller. If the command has to wait for it,
 * returns a promise, which rejects with TimeoutError after the timeout.
 */
export function beforeCall(
  { context, settings: { timeout } }: ConfiguredClient,
  label: string,
): Promise<unknown> | undefined {
  const waitFor = context.beforeCall?.();
  return waitFor && within(timeout, waitFor, () => createTimeoutError(label, timeout, false));
}

/** Returns the signal of a call made now. @throws ConfigError if its function returns another type; what it throws. */
export function getSignal({ signal }: Settings): AbortSignal | undefined {
  if (typeof signal !== "function") return signal;
  const result = signal();
  assertConfig(result === undefined || isSignal(result), "signal must return an AbortSignal");
  return result;
}

/** Returns the time until the deadline, less the margin, in ms. Infinity without a deadline. */
export function getRemainingTime({ deadline }: Pick<Settings, "deadline">): number {
  if (!deadline) return Infinity;
  const { remaining, getRemainingTimeInMillis } = deadline as Partial<Record<string, () => number>>;
  const left = (remaining ?? getRemainingTimeInMillis)?.call(deadline);
  assertConfig(left === Number(left), "deadline must be a Lambda context, or have remaining(), in ms");
  return left! - DEADLINE_MARGIN;
}

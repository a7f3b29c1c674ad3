import { assertConfig } from "../options/assert-config.js";
import { elapsed, moment } from "../util/clock.js";
import { MAX_TIMER, within } from "../util/timers.js";
import type { ConfiguredClient } from "./client-context.js";
import type { Settings } from "./settings.js";
import { createTimeoutError } from "./verdict.js";

/** Left for the handler to say that its time is running out, in ms. */
const DEADLINE_MARGIN = 50;

/** A call's own signal and time, both read when the call is made. */
export class Limits {
  readonly signal: AbortSignal | undefined;
  readonly #timeout: number;
  readonly #deadline: number;
  readonly #began = moment();

  /**
   * @throws ConfigError where the signal or the deadline is none; what their functions throw; the signal's reason where
   * it is aborted already.
   */
  constructor(settings: Settings) {
    this.signal = getSignal(settings);
    if (this.signal?.aborted) throw this.signal.reason;
    this.#timeout = settings.timeout;
    this.#deadline = getRemainingTime(settings);
  }

  /**
   * The time of the call, in ms.
   * @param wait how long the command may wait at the server, which comes on top of the timeout, in ms.
   */
  time(wait = 0): number {
    return Math.max(0, Math.min(this.#timeout + wait, this.#deadline, MAX_TIMER));
  }

  /** The rest of that time, in ms. */
  left(wait?: number): number {
    return Math.max(0, this.time(wait) - elapsed(this.#began));
  }
}

/** The limits of a call made now; undefined where it has none but the timeout. @throws as {@link Limits} does. */
export function createLimits(settings: Settings): Limits | undefined {
  return settings.signal || settings.deadline ? new Limits(settings) : undefined;
}

/** The time that a call has left, in ms. @param wait see {@link Limits.time}. */
export function timeLeft({ timeout }: Settings, limits: Limits | undefined, wait = 0): number {
  return limits ? limits.left(wait) : Math.min(timeout + wait, MAX_TIMER);
}

/**
 * Does what the platform has to do before a command, in the asynchronous context of the caller.
 * @param label the command's name in error messages.
 * @returns a promise if the command has to wait for it. Rejects with TimeoutError after the timeout.
 */
export function beforeCall(
  { context, settings: { timeout } }: ConfiguredClient,
  label: string,
): Promise<unknown> | undefined {
  const waitFor = context.beforeCall?.();
  return waitFor && within(timeout, waitFor, () => createTimeoutError(label, timeout, false));
}

/** The signal of a call made now. @throws ConfigError where its function returns none, and what that throws. */
export function getSignal({ signal }: Settings): AbortSignal | undefined {
  if (typeof signal !== "function") return signal;
  const given = signal();
  assertConfig(given === undefined || isSignal(given), "signal must return an AbortSignal or undefined");
  return given;
}

/** Whether a value is an AbortSignal, also of another realm or a polyfill. */
export function isSignal(value: unknown): value is AbortSignal {
  return "aborted" in Object(value) && "addEventListener" in (value as object);
}

/** Returns the time until the deadline, less the margin, in ms. Infinity if there is none. */
export function getRemainingTime({ deadline }: Pick<Settings, "deadline">): number {
  if (!deadline) return Infinity;
  const { remaining, getRemainingTimeInMillis } = deadline as Partial<Record<string, () => number>>;
  const left = (remaining ?? getRemainingTimeInMillis)?.call(deadline);
  assertConfig(
    left === Number(left),
    "deadline must be a Lambda context, or have a remaining() that returns ms",
  );
  return left! - DEADLINE_MARGIN;
}

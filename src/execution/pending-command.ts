import { createTimeoutError } from "../transport/timeout-error.js";
import { onAbort } from "../util/abort.js";
import { rejectAtCaller } from "../util/at-caller.js";
import { afterTwoPolls, clearTimeout, setTimeout } from "../util/timers.js";
import type { Command } from "./command.js";
import { afterUnknown } from "./decode-reply.js";
import type { Limits } from "./limits.js";

/** The request that carries a command together with others that have other limits. */
export interface CommandCarrier {
  /** Whether it was written, and so may have been applied. */
  readonly written: boolean;
  /** Called when the limits of a command have settled it. */
  onLeft(): void;
}

/** A command in flight: what is sent, and the promise that it settles, once. */
export class PendingCommand {
  settled = false;
  /** Whether an earlier attempt may have applied it. */
  possiblyApplied = false;
  /** Called when it is settled. */
  onSettled: (() => void) | undefined;
  #carrier: CommandCarrier | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #forgetSignal: (() => void) | undefined;

  readonly #onValue: (value: unknown) => void;
  readonly #onError: ((error: unknown) => void) | undefined;

  constructor(
    readonly command: Command,
    /** Its own limits, if it has any but the timeout. */
    readonly limits: Limits | undefined,
    onValue: (value: unknown) => void,
    /** By default `onValue` gets a rejected promise whose error has the caller's stack. */
    onError?: (error: unknown) => void,
  ) {
    this.#onValue = onValue;
    this.#onError = onError;
  }

  resolve(value: unknown): void {
    if (this.#settle()) this.#onValue(value);
  }

  reject(error: unknown): void {
    if (!this.#settle()) return;
    const reason = this.possiblyApplied ? afterUnknown(error, this.command.write) : error;
    if (this.#onError) this.#onError(reason);
    else this.#onValue(rejectAtCaller(reason));
  }

  /**
   * Enforces its limits from now on, while others that share its request go on.
   * @param time the time in ms after which the caller ends it at the latest: later limits need no timer here.
   */
  arm(carrier?: CommandCarrier, time = Infinity): void {
    const { limits } = this;
    this.disarm();
    if (!limits || !this.checkLimits()) return;
    this.#carrier = carrier;
    const { signal } = limits;
    if (signal) this.#forgetSignal = onAbort(signal, () => this.#leave());
    const left = limits.left();
    // As with a call's own timer: a reply that has arrived is read first.
    if (left < time - 1) this.#timer = setTimeout(() => afterTwoPolls(() => this.#leave()), left);
  }

  /** Settles it if its signal has aborted or its time is up. @returns whether it is still to be sent. */
  checkLimits(): boolean {
    const { limits } = this;
    if (limits?.signal?.aborted) this.reject(limits.signal.reason);
    else if (limits && limits.left() <= 0) this.#rejectTimedOut(limits);
    return !this.settled;
  }

  /** Leaves the limits to the request that carries this command alone, or others with the same limits. */
  disarm(): void {
    clearTimeout(this.#timer);
    this.#forgetSignal?.();
    this.#forgetSignal = undefined;
  }

  #leave(): void {
    if (this.settled) return;
    const { signal } = this.limits!;
    if (signal?.aborted) this.reject(signal.reason);
    else this.#rejectTimedOut(this.limits!);
    this.#carrier?.onLeft();
  }

  #rejectTimedOut(limits: Limits): void {
    const written = this.#carrier?.written || this.possiblyApplied;
    const { spec, write } = this.command;
    this.reject(createTimeoutError(spec.name, limits.time(), written, write));
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    if (this.limits) this.disarm();
    this.onSettled?.();
    return true;
  }
}

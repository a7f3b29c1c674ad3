import type { SentCall } from "../transport/request-call.js";
import { createTimeoutError } from "../transport/timeout-error.js";
import { onAbort } from "../util/abort.js";
import { rejectAtCaller } from "../util/at-caller.js";
import { afterTwoPolls, clearTimeout, setTimeout } from "../util/timers.js";
import type { Command } from "./command.js";
import { afterUnknown } from "./decode-reply.js";
import type { Limits } from "./limits.js";

/** A request of commands with limits of their own. It goes on until each of them is settled. */
export class SharedRequest {
  readonly #commands: readonly PendingCommand[];
  /** The time of the command that has the most left, in ms. */
  readonly time: number;
  readonly #controller = new AbortController();
  /** Aborts when no command waits for the request any more. */
  readonly signal: AbortSignal = this.#controller.signal;
  /** The call that is under way for it. */
  call: SentCall | undefined;

  constructor(commands: readonly PendingCommand[]) {
    this.#commands = commands;
    this.time = Math.max(...commands.map(({ limits }) => limits!.left()));
    for (const command of commands) command.arm(this, this.time);
  }

  /** Called when the limits of a command have settled it. */
  onLeft(): void {
    if (this.#commands.every(({ settled }) => settled)) this.#controller.abort();
  }
}

/** A command in flight: what is sent, and the promise that it settles, once. */
export class PendingCommand {
  settled = false;
  /** Whether an earlier attempt may have applied it. */
  possiblyApplied = false;
  /** Called when it is settled. */
  onSettled: (() => void) | undefined;
  #carrier: SharedRequest | undefined;
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
  arm(carrier?: SharedRequest, time = Infinity): void {
    const { limits } = this;
    this.disarm();
    if (!limits) return;
    const { signal } = limits;
    if (signal?.aborted || limits.left() <= 0) this.#rejectByLimits();
    if (this.settled) return;
    this.#carrier = carrier;
    if (signal) this.#forgetSignal = onAbort(signal, () => this.#leave());
    const left = limits.left();
    // As with a call's own timer: a reply that has arrived is read first.
    if (left < time - 1) this.#timer = setTimeout(() => afterTwoPolls(() => this.#leave()), left);
  }

  /** Leaves the limits to the request that carries this command alone, or others with the same limits. */
  disarm(): void {
    clearTimeout(this.#timer);
    this.#forgetSignal?.();
    this.#forgetSignal = undefined;
  }

  #leave(): void {
    if (this.settled) return;
    this.#rejectByLimits();
    this.#carrier?.onLeft();
  }

  /** Rejects it, as its signal has aborted or its time is up. */
  #rejectByLimits(): void {
    const { signal } = this.limits!;
    if (signal?.aborted) {
      this.reject(signal.reason);
      return;
    }
    const written = this.#carrier?.call?.written || this.possiblyApplied;
    const { spec, write } = this.command;
    this.reject(createTimeoutError(spec.name, this.limits!.time(), written, write));
  }

  #settle(): boolean {
    if (this.settled) return false;
    this.settled = true;
    if (this.limits) this.disarm();
    this.onSettled?.();
    return true;
  }
}

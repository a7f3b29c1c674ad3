import { afterUnknown, createTimeoutError } from "../transport/outcome.js";
import { afterTwoPolls, type SentCall } from "../transport/request-call.js";
import { onAbort } from "../util/abort.js";
import { clearTimeout, setTimeout } from "../util/timers.js";
import type { Command } from "./executor.js";
import type { Limits } from "./limits.js";
import type { QueuedCommand } from "./pipeline-sender.js";

/** A command with limits of its own: they settle it while others that share its request go on. */
export class Member implements QueuedCommand {
  /** Whether it is settled. */
  over = false;
  /** Is called when it is settled. */
  onEnd: (() => void) | undefined;
  readonly command: Command;
  private shared: SharedRequest | undefined;
  /** Whether an earlier try may have applied it. */
  private suspected = false;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private forgetSignal: (() => void) | undefined;

  constructor(
    private readonly queued: QueuedCommand,
    readonly limits: Limits,
  ) {
    this.command = queued.command;
  }

  readonly resolve = (value: unknown): void => {
    if (this.end()) this.queued.resolve(value);
  };

  readonly reject = (error: unknown): void => {
    if (this.end()) this.queued.reject(this.suspected ? afterUnknown(error, this.command.write) : error);
  };

  /**
   * Enforces the limits from now on.
   * @param time the time in ms after which the caller ends it at the latest: later limits need no timer here.
   */
  arm(shared?: SharedRequest, time = Number.POSITIVE_INFINITY): void {
    this.disarm();
    if (!this.check()) return;
    this.shared = shared;
    const { signal } = this.limits;
    if (signal) this.forgetSignal = onAbort(signal, () => this.leave(() => this.reject(signal.reason)));
    const left = this.limits.left();
    // As with a call's own timer: a reply that has arrived is read first.
    const onTimeout = () => afterTwoPolls(() => this.leave(() => this.expire()));
    if (left < time - 1) this.timer = setTimeout(onTimeout, left);
  }

  /** Settles it where its signal has aborted or its time is up. @returns whether it is still to be sent. */
  check(): boolean {
    const { signal } = this.limits;
    if (signal?.aborted) this.reject(signal.reason);
    else if (this.limits.left() <= 0) this.expire();
    return !this.over;
  }

  /** Leaves the limits to the request that carries this command alone, or others with the same limits. */
  disarm(): void {
    clearTimeout(this.timer);
    this.forgetSignal?.();
    this.forgetSignal = undefined;
  }

  suspect(): this {
    this.suspected = true;
    return this;
  }

  private expire(): void {
    const { name } = this.command.spec;
    const { limits, shared } = this;
    this.reject(
      createTimeoutError(name, limits.time(), shared?.written || this.suspected ? "unknown" : "unsent"),
    );
  }

  private leave(settle: () => void): void {
    if (this.over) return;
    settle();
    this.shared?.onLeft();
  }

  private end(): boolean {
    if (this.over) return false;
    this.over = true;
    this.disarm();
    this.onEnd?.();
    return true;
  }
}

/** A request that goes on until each command in it is settled. */
export class SharedRequest {
  /** The time of the command that has the most left, in ms. */
  readonly time: number;
  private readonly controller = new AbortController();
  /** Aborts when no command waits for the request any more. */
  readonly signal: AbortSignal = this.controller.signal;
  /** The call that is under way for it. */
  call: SentCall | undefined;

  constructor(private readonly members: readonly Member[]) {
    this.time = Math.max(...members.map(({ limits }) => limits.left()));
    for (const member of members) member.arm(this, this.time);
  }

  /** Whether it was written and may have been applied. */
  get written(): boolean {
    return this.call?.written === true;
  }

  onLeft(): void {
    if (this.members.every(({ over }) => over)) this.controller.abort();
  }
}

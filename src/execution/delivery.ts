import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import type { EncodedRequest } from "../protocol/rest-protocol.js";
import { RetryBudget, type RetryPolicy } from "../transport/retry-budget.js";
import { createTimeoutError } from "../transport/timeout-error.js";
import type { Attempt, AttemptListener, Timed, Timers } from "../transport/transport.js";
import { onAbort } from "../util/abort.js";
import { afterTwoPolls, clearTimeout, setTimeout } from "../util/timers.js";
import type { ClientContext } from "./client-context.js";
import type { HandledCall } from "./middleware.js";
import { traced } from "./trace.js";
import {
  type Deliverable,
  type Failure,
  failed,
  judgeFailure,
  judgeRejection,
  judgeResponse,
  type RequestFailure,
  type SentCommand,
  type Verdict,
} from "./verdict.js";

/** Commands to send as one request, and their limits. */
export interface DeliveryOptions<C extends Deliverable> {
  readonly commands: readonly C[];
  /** Name of the request in error messages and events. */
  readonly label: string;
  /** Number of commands in traces, if the request is a batch. */
  readonly batchSize?: number | undefined;
  readonly settings: RetryPolicy;
  /** Time for all attempts and the pauses between them, in ms. */
  readonly time: number;
  readonly signal?: AbortSignal | undefined;
  /**
   * Encodes commands as one request, whose `read` is the callback of {@link judgeResponse}.
   * @param resp2Refused whether the endpoint accepts bytes only in a path.
   */
  encode(commands: readonly C[], resp2Refused: boolean): EncodedRequest<readonly Verdict[]>;
  /** Sends the commands in place of the transport, if given. Rejects as `read` throws, and with the errors of middleware. */
  readonly carry?:
    | ((commands: readonly C[], call: Omit<HandledCall, "argv" | "settings">) => Promise<readonly Verdict[]>)
    | undefined;
  /**
   * If given, the commands are one request of the user's: they are sent again together or not at all, and a failure of the request
   * as a whole settles none of them, but is passed to this callback.
   */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Called once, when all commands are settled. */
  readonly onEnd?: (() => void) | undefined;
}

/** A client, or a connector, as a delivery uses it. */
export type DeliveryContext = Pick<ClientContext, "transport" | "endpoint" | "tracer">;

/** Whether a command is sent again while retries and time are left, by the verdict of its last attempt. */
const SENT_AGAIN: Record<Failure["kind"], (command: SentCommand) => boolean> = {
  unsent: () => true,
  unknown: ({ repeatable }) => repeatable,
  error: () => false,
};

/** Extra time in ms, so that the timeout of what carries the request, whose error is more precise, fires first. */
const GRACE = 20;

/** Sends commands as one request until each has a value or an error. */
export function deliver<C extends Deliverable>(
  context: DeliveryContext,
  options: DeliveryOptions<C>,
): Delivery<C> {
  const delivery = new Delivery(context, options);
  if (options.carry || !context.tracer?.isActive("request")) {
    delivery.begin();
    return delivery;
  }
  const { label: command, batchSize } = options;
  const run = () => {
    const ended = new Promise<void>((resolve, reject) => {
      delivery.onTraceEnd = (error) => (error === undefined ? resolve() : reject(error));
    });
    delivery.begin();
    return ended;
  };
  traced(context, "request", run, { command, ...(batchSize && { batchSize }) }).catch(() => {});
  return delivery;
}

/** A request that is delivered as if it were one command. */
interface OneRequest<T>
  extends Pick<DeliveryOptions<Deliverable>, "label" | "batchSize" | "settings" | "time" | "signal"> {
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be sent again after it may have been applied. */
  readonly repeatable: boolean;
  readonly encoded: EncodedRequest<T>;
}

/** Sends a request until it has a value or an error. */
export function deliverRequest<T>(
  context: DeliveryContext,
  { write, repeatable, encoded, ...options }: OneRequest<T>,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Delivery<Deliverable> {
  const facts = { name: options.label, write, repeatable, possiblyApplied: false, settled: false };
  const command: Deliverable = { ...facts, resolve: (value) => resolve(value as T), reject };
  const { request, read } = encoded;
  return deliver(context, {
    ...options,
    commands: [command],
    encode: () => ({ request, read: (response) => [{ kind: "value", value: read(response) }] }),
  });
}

/**
 * The loop of attempts. Each response and each failure becomes one verdict per command, and each verdict settles its command
 * or puts it into the next request.
 */
export class Delivery<C extends Deliverable> implements AttemptListener, Timed {
  /** Called once with the error of the request as a whole, if it failed so. */
  onTraceEnd: ((error?: unknown) => void) | undefined;
  readonly #context: DeliveryContext;
  readonly #options: DeliveryOptions<C>;
  readonly #budget: RetryBudget;
  /** The commands of the current request. */
  #commands: readonly C[];
  #encoded: EncodedRequest<readonly Verdict[]> | undefined;
  #resp2Refused = false;
  /** Whether the bytes of the current request are written or about to be, or may have been. They stay as they are. */
  #frozen = false;
  /** Whether the current attempt has begun to write. */
  #started = false;
  /** Whether some commands were settled, so that the others are no longer the request that the user made. */
  #split = false;
  #ended = false;
  #attempt: Attempt | undefined;
  /** The error of the last attempt. */
  #cause: Error | undefined;
  /** The first failure of a request that was the end of some of its commands. */
  #failure: RequestFailure | undefined;
  /** The timer of the delivery. Ref'd: while it runs the process does not end, whatever state the socket is in. */
  #timer: unknown;
  /** Whether that timer fires early, to report that the delivery is slow. */
  #early = false;
  /** The timer of the rest of the time, after that. */
  #lateTimer: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #forgetSignal: (() => void) | undefined;

  constructor(context: DeliveryContext, options: DeliveryOptions<C>) {
    this.#context = context;
    this.#options = options;
    this.#commands = options.commands;
    this.#budget = new RetryBudget(options.settings, options.time);
  }

  begin(): void {
    const { signal, time, carry } = this.#options;
    const { endpoint, transport } = this.#context;
    if (endpoint instanceof Error) this.#fail(failed(endpoint));
    else if (signal?.aborted) this.#fail(failed(signal.reason));
    else if (time <= 0) this.#failTimedOut();
    else if (this.#encode()) {
      if (signal) this.#forgetSignal = onAbort(signal, () => this.#cancel(failed(signal.reason)));
      const slowAfter = carry ? time + GRACE : (transport.slowAfter?.(time) ?? time);
      this.#early = slowAfter < time;
      this.#timer = this.#timers.start(slowAfter, this);
      this.send();
    }
  }

  /** Whether the current request is written, or about to be, so that its commands may be applied. */
  get written(): boolean {
    return this.#frozen && !this.#ended;
  }

  get repeatable(): boolean {
    return this.#commands.every(isRepeatable);
  }

  /** Starts the next attempt. */
  send(): void {
    const { carry } = this.#options;
    const { retried, timeLeft } = this.#budget;
    // After a freeze the pause and the timer of the delivery are late together, and the pause ends first.
    if (retried > 0 && timeLeft <= 0) return;
    this.#started = false;
    if (carry) this.#sendThrough(carry);
    else this.#attempt = this.#context.transport.attempt(this);
  }

  take(): HttpRequest {
    if (this.#freeze()) this.#encoded = this.#options.encode(this.#commands, this.#resp2Refused);
    return this.#encoded!.request;
  }

  /** @throws Error where this would be a repeat after the time is up, as when the process was frozen meanwhile. */
  onStart(): void {
    if ((this.#started || this.#commands.some(isPossiblyApplied)) && this.#budget.timeLeft <= 0) {
      throw new Error("the timeout has passed");
    }
    this.#started = true;
  }

  onResponse(response: HttpResponse, repeated = false): void {
    if (repeated) for (const command of this.#commands) command.possiblyApplied = true;
    const result = judgeResponse(response, this.#encoded!.read);
    if (!("kind" in result)) this.#act(result);
    else if (!result.resp2Refused) this.#fail(result);
    else {
      this.#resp2Refused = true;
      if (this.#encode()) this.send();
    }
  }

  onFailure(cause: Error): void {
    this.#fail(judgeFailure(cause, this.#started));
  }

  onTimeout(): void {
    const { time, carry } = this.#options;
    const { timeLeft } = this.#budget;
    const { transport } = this.#context;
    if (this.#early && timeLeft > 0) {
      this.#early = false;
      this.#lateTimer = setTimeout(fire, timeLeft, this);
      transport.onSlow?.(time);
      return;
    }
    // After a freeze the timer is late, and the response may be waiting in the kernel: let it be read first.
    afterTwoPolls(() => {
      if (this.#ended) return;
      if (!carry) transport.onCallFailed?.(time, true);
      this.#failTimedOut();
    });
  }

  get #timers(): Timers {
    return (!this.#options.carry && this.#context.transport.timers) || plainTimers;
  }

  /** @returns whether the commands could be encoded. If not, they are rejected. */
  #encode(): boolean {
    if (this.#options.carry) return true;
    try {
      this.#encoded = this.#options.encode(this.#commands, this.#resp2Refused);
      return true;
    } catch (error) {
      this.#fail(failed(error));
      return false;
    }
  }

  /** Makes the list of commands final, as it is about to be written. @returns whether commands that are settled were left out. */
  #freeze(): boolean {
    const thinned = !this.#frozen && this.#commands.some(isSettled);
    if (thinned) this.#commands = this.#commands.filter((command) => !command.settled);
    this.#frozen = true;
    return thinned;
  }

  #sendThrough(carry: NonNullable<DeliveryOptions<C>["carry"]>): void {
    this.#freeze();
    this.#started = true;
    const { repeatable } = this;
    const { label, signal } = this.#options;
    carry(this.#commands, { repeatable, budget: this.#budget, signal }).then(
      (verdicts) => this.#act(verdicts),
      (error) => this.#fail(judgeRejection(error, label, repeatable)),
    );
  }

  /** Acts by the failure of the request as a whole. */
  #fail(failure: RequestFailure): void {
    this.#act(
      this.#commands.map(() => failure),
      failure,
    );
  }

  /**
   * Settles each command by its verdict, or sends it again.
   * @param failure the failure of the request as a whole, if that is the verdict for each command.
   */
  #act(verdicts: readonly Verdict[], failure?: RequestFailure): void {
    if (this.#ended) return;
    const failed: [C, Failure][] = [];
    for (let i = 0; i < verdicts.length; i++) {
      const command = this.#commands[i]!;
      const verdict = verdicts[i]!;
      if (verdict.kind === "value") command.resolve(verdict.value);
      else if (!command.settled) failed.push([command, verdict]);
    }
    if (failed.length === 0) {
      this.#end();
      return;
    }
    for (const [command, { kind }] of failed) if (kind === "unknown") command.possiblyApplied = true;
    const repeatable = failed.filter(([command, { kind }]) => SENT_AGAIN[kind](command));
    const { onFailure, time } = this.#options;
    const together = failure && onFailure && !this.#split;
    const mayRepeat = !failure?.final && repeatable.length >= (together ? failed.length : 1);
    const wait = mayRepeat ? this.#countRetry(failure) : undefined;
    const again = new Map(wait === undefined ? [] : repeatable);
    const rejected = failed.filter(([command]) => !again.has(command));
    if (failure && rejected.length > 0) {
      this.#failure ??= failure;
      if (failure.silent) this.#context.transport.onCallFailed?.(time, false);
      if (together) onFailure(failure.errorFor(this.#whole));
    }
    if (!together) for (const [command, verdict] of rejected) command.reject(verdict.errorFor(command));
    if (wait === undefined) this.#end();
    else this.#sendAgain(again, wait, rejected.length === 0 ? failure : undefined);
  }

  /** Returns the wait before the next attempt in ms, or undefined if no retry or no time is left. */
  #countRetry(failure: RequestFailure | undefined): number | undefined {
    const budget = this.#budget;
    // A connection that was lost in use says nothing about the next one: send at once, then with backoff.
    const isFirstLoss = failure?.kind === "unknown" && budget.retried === 0;
    return budget.next(isFirstLoss ? 0 : failure?.retryAfter);
  }

  /** @param failure the failure of the request as a whole, if all of its commands are sent again. */
  #sendAgain(commands: Map<C, Failure>, waitMs: number, failure: RequestFailure | undefined): void {
    const { label: command } = this.#options;
    const isUnknown = [...commands.values()].some(({ kind }) => kind === "unknown");
    const outcome = failure?.outcome ?? (isUnknown ? "unknown" : "unsent");
    this.#context.transport.onRetry({ command, outcome, retry: this.#budget.retried, waitMs });
    this.#attempt = undefined;
    this.#started = false;
    this.#cause = failure?.cause;
    if (failure) {
      // A repeat of a request that may have been applied is the same, byte for byte.
      this.#frozen = this.#commands.some(isPossiblyApplied);
    } else {
      this.#commands = [...commands.keys()];
      this.#split = true;
      this.#frozen = false;
      if (!this.#encode()) return;
    }
    this.#pause = setTimeout(sendNow, waitMs, this);
  }

  /** The request as if it were one command. */
  get #whole(): SentCommand {
    const commands = this.#commands;
    return {
      name: this.#options.label,
      write: commands.some(({ write }) => write),
      repeatable: this.repeatable,
      possiblyApplied: commands.some(isPossiblyApplied),
    };
  }

  #failTimedOut(): void {
    const { time } = this.#options;
    this.#cancel({
      kind: "error",
      errorFor: ({ name, write, possiblyApplied }) => {
        const written = this.#started || possiblyApplied;
        const notReady = "no connection was ready: check url, the network and maxConnections";
        const cause = this.#cause ?? (this.#attempt && !written ? new Error(notReady) : undefined);
        return createTimeoutError(name, time, written, write, cause);
      },
    });
  }

  /** Ends the attempt that is under way, and with it the delivery. */
  #cancel(failure: RequestFailure): void {
    this.#attempt?.abort();
    this.#fail(failure);
  }

  #end(): void {
    this.#ended = true;
    if (this.#timer !== undefined) this.#timers.stop(this.#timer);
    if (this.#lateTimer !== undefined) clearTimeout(this.#lateTimer);
    if (this.#pause !== undefined) clearTimeout(this.#pause);
    this.#forgetSignal?.();
    this.#options.onEnd?.();
    this.onTraceEnd?.(this.#failure?.errorFor(this.#whole));
  }
}

const isSettled = ({ settled }: Deliverable) => settled;
const isRepeatable = ({ repeatable }: Deliverable) => repeatable;
const isPossiblyApplied = ({ possiblyApplied }: Deliverable) => possiblyApplied;

// The delivery is passed to timers as their argument, so that it needs no functions of its own.
const fire = (timed: Timed) => timed.onTimeout();
const sendNow = (delivery: { send(): void }) => delivery.send();

const plainTimers: Timers<ReturnType<typeof setTimeout>> = {
  start: (ms, timed) => setTimeout(fire, ms, timed),
  stop: (timer) => clearTimeout(timer),
};

import type { WriteMode } from "../options/options.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import { MAX_NUMBERED, type Numbers, type RequestNumber } from "../protocol/numbers.js";
import type { EncodedRequest } from "../protocol/rest-protocol.js";
import { RetryBudget, type RetryPolicy } from "../transport/retry-budget.js";
import type { Attempt, AttemptListener, Timed, Timers } from "../transport/transport.js";
import { onAbort, throwIfAborted } from "../util/abort.js";
import { afterTwoPolls, clearTimeout, MAX_TIMER, setTimeout } from "../util/timers.js";
import type { ClientContext } from "./client-context.js";
import { Pending } from "./command.js";
import type { HandledCall } from "./middleware.js";
import { type TraceDetails, traced, traceName } from "./trace.js";
import {
  createTimeoutError,
  type Failure,
  failed,
  judgeFailure,
  judgeRefusal,
  judgeRejection,
  judgeResponse,
  type RequestFailure,
  refused,
  type Sent,
  type Verdict,
} from "./verdict.js";

/** How to send commands as one request, and its limits. */
export interface DeliveryOptions<C extends Sent["command"]> {
  /** Name of the request in error messages and events. */
  readonly label: string;
  /** Number of commands in traces, if the request is a batch. */
  readonly batchSize?: number | undefined;
  readonly settings: RetryPolicy & { readonly writes?: WriteMode };
  /** Time for all attempts and the pauses between them, in ms. */
  readonly time: number;
  readonly signal?: AbortSignal | undefined;
  /** Numbers the request unless its copies may overlap without a number. */
  readonly numbers?: Numbers | undefined;
  /**
   * Encodes commands as one request, whose `read` is the callback of {@link judgeResponse}.
   * @param inPath whether the endpoint accepts bytes only in a path.
   */
  encode(commands: readonly Pending<C>[], inPath: boolean): EncodedRequest<readonly Verdict[]>;
  /** Sends the commands in place of the transport, if given. */
  readonly carry?:
    | ((commands: readonly Pending<C>[], call: CarriedCall) => Promise<readonly Verdict[]>)
    | undefined;
  /** If given, a request that fails as a whole is repeated as a whole, or its error goes to this callback. */
  readonly onFailure?: ((error: unknown) => void) | undefined;
  /** Called once, before the last commands settle. `error` is the error of the request, if it failed as a whole. */
  readonly onEnd?: ((error?: unknown) => void) | undefined;
}

type CarriedCall = Omit<HandledCall, "argv" | "settings">;

/** The parts of a client or a connector that a delivery uses. */
type DeliveryContext = Pick<ClientContext, "transport" | "endpoint" | "tracer">;

/** Whether a command is sent again after a verdict. Commands of a numbered request may be. */
const isSentAgain = ({ command }: Sent, { kind }: Failure, numbered: boolean): boolean =>
  kind === "unsent" || (kind === "unknown" && (numbered || command.repeatable));

/** Extra time in ms for `carry`, whose own timeout error is more precise. */
const GRACE = 20;

/** Sends commands as one request, and sends some or all of them again, until each has a value or an error. */
export function deliver<C extends Sent["command"]>(
  context: DeliveryContext,
  commands: readonly Pending<C>[],
  options: DeliveryOptions<C>,
): Delivery<C> {
  const { label, batchSize, carry } = options;
  const delivery = new Delivery(context, commands, options);
  if (carry || !context.tracer?.isActive("request")) return delivery.begin();
  const sent = commands.map(({ command }) => command);
  const details: TraceDetails = { command: traceName(label, sent), ...(batchSize && { batchSize }) };
  const run = () => new Promise<void>((...settle) => void delivery.begin(details, settle));
  traced(context, "request", run, () => details).catch(() => {});
  return delivery;
}

/** Sends a request as if it were one command. */
export function deliverRequest<T>(
  context: DeliveryContext,
  { request, read }: EncodedRequest<T>,
  options: Omit<DeliveryOptions<never>, "encode"> & Pick<Sent["command"], "write" | "repeatable" | "wait">,
  resolve: (value: T) => void,
  reject: (error: unknown) => void,
): Delivery<Sent["command"]> {
  const { label: name, write, repeatable, wait } = options;
  const receiver = { onValue: (value: unknown) => resolve(value as T), onError: reject };
  const pending = new Pending<Sent["command"]>({ name, write, repeatable, wait }, undefined, receiver);
  const readValue = (response: HttpResponse): Verdict[] => [{ kind: "value", value: read(response) }];
  return deliver(context, [pending], {
    ...options,
    carry: undefined,
    encode: () => ({ request, read: readValue }),
  });
}

/** The loop of attempts. Each gives a verdict on each command, which is then settled or sent again. */
export class Delivery<C extends Sent["command"] = any> implements AttemptListener, Timed {
  readonly #budget: RetryBudget;
  readonly #timers: Timers;
  #encoded: EncodedRequest<readonly Verdict[]> | undefined;
  /** Whether the current request may have been written, or is about to be. Its bytes no longer change. */
  #frozen = false;
  /** Whether the current attempt has begun to write. */
  #started = false;
  /** Whether some commands were settled, so that `onFailure` no longer applies. */
  #split = false;
  #ended = false;
  /** The number of the current request. With it, the same bytes may be written again. */
  #number: RequestNumber | undefined;
  /** Whether a copy without the number may have been applied. A response to the number says nothing about that one. */
  #isNumberLate = false;
  /** Whether a number was refused, so that the commands are sent without one. */
  #refused = false;
  #attempt: Attempt | undefined;
  /** The error of the last attempt. */
  #cause: Error | undefined;
  /** The timer of the delivery. It keeps the process alive in any state of the socket. */
  #timer: unknown;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #forgetSignal: (() => void) | undefined;
  /** The context of the trace, if there is one. */
  #trace: TraceDetails | undefined;
  /** Functions that settle the trace. */
  #settle: readonly [resolve: () => void, reject: (error: unknown) => void] | undefined;

  /** @param commands the commands of the current request. */
  constructor(
    private readonly context: DeliveryContext,
    private commands: readonly Pending<C>[],
    private readonly options: DeliveryOptions<C>,
  ) {
    this.#budget = new RetryBudget(options.settings, options.time);
    this.#timers = context.transport.timers ?? plainTimers;
  }

  begin(trace?: TraceDetails, settle?: readonly [() => void, (error: unknown) => void]): this {
    this.#trace = trace;
    this.#settle = settle;
    const { endpoint } = this.context;
    const { signal, time, carry } = this.options;
    try {
      if (endpoint instanceof Error) throw endpoint;
      throwIfAborted(signal);
      if (!carry) this.#encode();
    } catch (error) {
      this.#fail(refused(error));
      return this;
    }
    if (time <= 0) this.#failTimedOut();
    else {
      if (signal) this.#forgetSignal = onAbort(signal, () => this.#cancel(failed(signal.reason)));
      this.#wait(0);
      this.send();
    }
    return this;
  }

  /** Whether the current request is written, or about to be, so that its commands may be applied. */
  get written(): boolean {
    return this.#frozen && !this.#ended;
  }

  get label(): string {
    return this.options.label;
  }

  get repeatable(): boolean {
    return this.commands.every(({ command }) => command.repeatable);
  }

  /** Starts the next attempt. */
  send(): void {
    const budget = this.#budget;
    const { carry, signal } = this.options;
    // After a freeze the pause and the timer of the delivery are both late. The pause ends first, then the timer ends the call.
    if (budget.retried > 0 && budget.timeLeft <= 0) return;
    this.#started = false;
    if (!carry) {
      this.#attempt = this.context.transport.attempt(this);
      return;
    }
    this.#freeze();
    this.#started = true;
    const { repeatable } = this;
    carry(this.commands, { repeatable, budget, signal }).then(
      (verdicts) => this.#act(verdicts),
      (error) => this.#fail(judgeRejection(error, repeatable)),
    );
  }

  numberIfNeeded(): boolean {
    const { numbers, settings } = this.options;
    // A late copy changes nothing if it reads, or if a guard applies its write once. Any other write could undo a later one.
    const areHarmless = settings.writes !== "at-least-once" && this.repeatable;
    if (this.#number || areHarmless || !this.#writes) return true;
    const isShort = this.#encoded!.request.body.length <= MAX_NUMBERED;
    if (!this.#refused && isShort && !this.#waits) this.#number = numbers?.take(this.#budget.began);
    this.#isNumberLate = this.commands.some(isPossiblyApplied);
    return this.#number !== undefined;
  }

  take(): HttpRequest {
    if (this.#freeze()) this.#encode();
    let { request } = this.#encoded!;
    if (this.#trace) request = { ...request, headers: { ...this.#trace.headers, ...request.headers } };
    return this.#number ? this.options.numbers!.apply(request, this.#number) : request;
  }

  /** @throws Error if this is a repeat and the time is up, for example after a freeze. */
  onStart(): void {
    if ((this.#started || this.commands.some(isPossiblyApplied)) && this.#budget.timeLeft <= 0) {
      throw new Error("the timeout has passed");
    }
    this.#started = true;
  }

  onResponse(response: HttpResponse, repeated = false): void {
    if (repeated) this.#mark(true);
    if (this.#number && this.#onNumbered(response, this.#number)) return;
    const result = judgeResponse(response, this.#encoded!.read);
    if (!("kind" in result)) {
      // It is the response to each copy of a numbered request.
      if (this.#number) this.#mark(false);
      this.#dropNumber();
      this.#act(result);
    } else if (!result.resp2Refused || this.options.batchSize) this.#fail(result);
    else {
      try {
        this.#encode(true);
        this.send();
      } catch (error) {
        this.#fail(refused(error));
      }
    }
  }

  isRefusal(response: HttpResponse): boolean {
    const { numbers } = this.options;
    const number = this.#number;
    return number !== undefined && numbers!.refused(response) && !numbers!.isUnapplied(response, number);
  }

  onFailure(cause: Error): void {
    this.#fail(judgeFailure(cause, this.#started));
  }

  onTimeout(): void {
    const { time, carry } = this.options;
    const { timeLeft } = this.#budget;
    // A timer may fire early by less than 1 ms.
    if (timeLeft >= 1) {
      this.#wait(time - timeLeft);
      return;
    }
    // After a freeze the timer is late, and the response may be waiting in the kernel: let it be read first.
    afterTwoPolls(() => {
      if (this.#ended) return;
      if (!carry) this.context.transport.onCallFailed?.(time, true);
      this.#failTimedOut();
    });
  }

  /** Starts the timer for the next call of `onWait`, or for the end of the time. @param waited the time so far in ms. */
  #wait(waited: number): void {
    const { time, carry } = this.options;
    // A command that blocks at the server is not late.
    const attempt = this.#waits ? undefined : this.#attempt;
    const next = carry
      ? Math.min(time + GRACE, MAX_TIMER)
      : (this.context.transport.onWait?.(waited, time, attempt) ?? time);
    this.#timer = this.#timers.start(Math.ceil(next - waited), this);
  }

  /** Ends the attempt that is under way, and rejects the commands that are not settled. */
  #cancel(failure: Failure): void {
    this.#attempt?.abort();
    this.#fail(failure);
  }

  /** Handles a response to a numbered request, with regard to its other copies. Returns whether the number was refused. */
  #onNumbered(response: HttpResponse, number: RequestNumber): boolean {
    const numbers = this.options.numbers!;
    if (response.status < 400) return false;
    const outcome = response.header("warmline-outcome");
    // `final`: each copy of the request gets the same response.
    const isFinal = response.header("warmline-number") === "final";
    if (!numbers.refused(response)) {
      if (isFinal) this.#dropNumber();
      if (isFinal && outcome !== "unknown") this.#mark(false);
      return false;
    }
    const isOnly = !this.commands.some(isPossiblyApplied);
    // A proxy that refuses the path of the request applies nothing.
    const isRefused = outcome === "unsent" || response.status !== 412;
    const isUnsent = numbers.isUnapplied(response, number) || (isRefused && isOnly);
    this.#mark(!isUnsent);
    if (isUnsent || isFinal) {
      this.#dropNumber();
      numbers.renew();
      this.#refused = true;
    }
    if (isUnsent) {
      this.#frozen = false;
      this.send();
    } else this.#fail(judgeRefusal(response));
    return true;
  }

  #dropNumber(): void {
    if (this.#number) this.options.numbers!.release(this.#number);
    this.#number = undefined;
  }

  /** @param possiblyApplied whether a copy of the request may have been applied. */
  #mark(possiblyApplied: boolean): void {
    if (!possiblyApplied && this.#isNumberLate) return;
    for (const command of this.commands) command.possiblyApplied = possiblyApplied;
  }

  /** Whether a command may block at the server. */
  get #waits(): boolean {
    return this.commands.some(({ command }) => command.wait !== undefined);
  }

  #encode(inPath = false): void {
    this.#encoded = this.options.encode(this.commands, inPath);
  }

  /** Fixes the list of commands. @returns whether settled commands were removed from it. */
  #freeze(): boolean {
    const hasSettled = !this.#frozen && this.commands.some(isSettled);
    if (hasSettled) this.commands = this.commands.filter((command) => !command.settled);
    this.#frozen = true;
    return hasSettled;
  }

  #failTimedOut(): void {
    const errorFor = ({ command: { name, write }, possiblyApplied }: Sent) => {
      const written = this.#started || possiblyApplied;
      const notReady = "no connection was ready: check url, the network and maxConnections";
      const cause = this.#cause ?? (this.#attempt && !written ? new Error(notReady) : undefined);
      return createTimeoutError(name, this.options.time, written, write, cause);
    };
    this.#cancel({ kind: "error", errorFor });
  }

  /** Acts on the failure of the request as a whole. */
  #fail(failure: RequestFailure): void {
    const verdicts = this.commands.map(() => failure);
    this.#act(verdicts, failure);
  }

  /**
   * Settles each command by its verdict, or sends it again.
   * @param failure the failure of the request as a whole, if it is the verdict for each command.
   */
  #act(verdicts: readonly Verdict[], failure?: RequestFailure): void {
    if (this.#ended) return;
    const { commands } = this;
    const failures: [Pending<C>, Failure][] = [];
    for (let at = 0; at < verdicts.length; at++) {
      const verdict = verdicts[at]!;
      const command = commands[at]!;
      if (verdict.kind === "unknown") command.possiblyApplied = true;
      if (verdict.kind !== "value" && !command.settled) failures.push([command, verdict]);
    }
    if (failures.length > 0) this.#actOnFailures(failures, failure);
    else this.#end(failure);
    for (let at = 0; at < verdicts.length; at++) {
      const verdict = verdicts[at]!;
      if (verdict.kind === "value") commands[at]!.resolve(verdict.value);
    }
  }

  #actOnFailures(failures: readonly [Pending<C>, Failure][], failure: RequestFailure | undefined): void {
    const { onFailure, time } = this.options;
    const budget = this.#budget;
    const numbered = this.#number !== undefined;
    const repeatable = failures.filter(([command, verdict]) => isSentAgain(command, verdict, numbered));
    const together = failure && onFailure && !this.#split;
    const enough = together ? repeatable.length === failures.length : repeatable.length > 0;
    // A connection that was lost in use says nothing about the next one: send at once, then with backoff.
    const wait = failure?.retryAfter ?? (failure?.kind === "unknown" && budget.retried === 0 ? 0 : undefined);
    const waitMs = enough && !failure?.final ? budget.next(wait) : undefined;
    const again = new Map(waitMs === undefined ? [] : repeatable);
    const rejected = failures.filter(([command]) => !again.has(command));
    if (failure?.silent && rejected.length > 0) this.context.transport.onCallFailed?.(time, false);
    // The trace of the request ends before those of its commands.
    if (waitMs === undefined) this.#end(failure);
    else this.#sendAgain(again, waitMs, rejected.length === 0 ? failure : undefined);
    if (!together) for (const [command, verdict] of rejected) command.reject(verdict.errorFor(command));
    else if (rejected.length > 0) onFailure(failure.errorFor(this.#whole));
  }

  /** @param failure the failure of the request as a whole, if all of its commands are sent again. */
  #sendAgain(again: Map<Pending<C>, Failure>, waitMs: number, failure: RequestFailure | undefined): void {
    const { label: command } = this.options;
    const isRefused = failure?.kind === "unsent" && !failure.silent;
    const isUnknown = [...again.values()].some(({ kind }) => kind === "unknown");
    const outcome = isRefused ? "answered" : isUnknown ? "unknown" : "unsent";
    this.context.transport.onRetry({ command, outcome, retry: this.#budget.retried, waitMs });
    this.#attempt = undefined;
    this.#started = false;
    this.#cause = failure?.cause;
    // A repeat of a request that may have been applied is the same, byte for byte.
    this.#frozen = failure !== undefined && this.commands.some(isPossiblyApplied);
    if (!this.#frozen) this.#dropNumber();
    if (!failure) {
      this.commands = [...again.keys()];
      this.#split = true;
      if (!this.options.carry) this.#encode();
    }
    this.#pause = setTimeout(sendNow, waitMs, this);
  }

  /** Whether a command may change data. */
  get #writes(): boolean {
    return this.commands.some(({ command }) => command.write);
  }

  /** The facts about the request as if it were one command. */
  get #whole(): Sent {
    const { repeatable } = this;
    const possiblyApplied = this.commands.some(isPossiblyApplied);
    return { command: { name: this.options.label, write: this.#writes, repeatable }, possiblyApplied };
  }

  #end(failure: RequestFailure | undefined): void {
    this.#ended = true;
    this.#dropNumber();
    if (this.#timer !== undefined) this.#timers.stop(this.#timer);
    clearTimeout(this.#pause);
    this.#forgetSignal?.();
    const error = failure?.errorFor(this.#whole);
    this.options.onEnd?.(error);
    this.#settle?.[failure ? 1 : 0](error);
  }
}

const isSettled = ({ settled }: { readonly settled: boolean }) => settled;
const isPossiblyApplied = ({ possiblyApplied }: Sent) => possiblyApplied;

// Timers get the delivery as their argument, so that no function is created per delivery.
const fire = (timed: Timed) => timed.onTimeout();
const sendNow = (delivery: { send(): void }) => delivery.send();

const plainTimers: Timers<ReturnType<typeof setTimeout>> = {
  start: (ms, timed) => setTimeout(fire, ms, timed),
  stop: (timer) => clearTimeout(timer),
};

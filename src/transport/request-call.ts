import { ConnectionError, type Outcome, ProtocolError, UnknownOutcomeError } from "../errors.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import { MalformedReply } from "../protocol/malformed.js";
import { onAbort } from "../util/abort.js";
import { afterTwoPolls, clearTimeout, setTimeout } from "../util/timers.js";
import type { RetryBudget } from "./retry-budget.js";
import { createTimeoutError } from "./timeout-error.js";
import type {
  Attempt,
  AttemptListener,
  FinalFailure,
  Timed,
  Timers,
  Transport,
  Unreachable,
} from "./transport.js";

/** A request to send: how often it may be written, how its response is read, and the promise that it settles. */
export interface OutgoingRequest<T> {
  /** Read again for each attempt until something was written. */
  readonly request: HttpRequest;
  /** Its name in error messages. */
  readonly label: string;
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be written again after it may have been applied. */
  readonly repeatable: boolean;
  /** Whether it carries something that an earlier call may have written. */
  readonly repeated: boolean;
  /** The retries and the time that it has. */
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
  /**
   * Makes a value of a response.
   * @param possiblyApplied whether an earlier attempt may have been applied.
   * @throws MalformedReply when the response is not one of the endpoint's, and any other error when the command failed.
   */
  read(response: HttpResponse, possiblyApplied: boolean): T;
  resolve(value: T): void;
  reject(reason: unknown): void;
  /** Called before either, if present. */
  onSettled?: ((error?: unknown) => void) | undefined;
}

/** A call under way. */
export interface SentCall {
  /** Whether it was written and may have been applied; false again once it is settled. */
  readonly written: boolean;
}

/** Sends a request until it is answered, cannot be sent again, or its time is up. It makes no promise of its own. */
export function beginCall<T>(transport: Transport, outgoing: OutgoingRequest<T>): SentCall {
  return new Call(transport, outgoing).begin();
}

class Call<T> implements AttemptListener {
  #attempt: Attempt | undefined;
  /** The call's own clock. Ref'd: while it runs the process does not end, whatever state the socket is in. */
  #timer: unknown;
  /** Whether that clock stops early, to report that the call is slow. */
  #early = false;
  /** Its clock after that. */
  #end: ReturnType<typeof setTimeout> | undefined;
  #pause: ReturnType<typeof setTimeout> | undefined;
  /** Whether this attempt has been written. */
  #started = false;
  /** Whether this attempt has the request: a command that leaves it later is written all the same. */
  #taken = false;
  #settled = false;
  #forgetSignal: (() => void) | undefined;
  /** The failure of the last attempt. */
  #cause: Error | undefined;
  /** The request that was written last, or is about to be. */
  #newest: HttpRequest | undefined;

  readonly #transport: Transport;
  readonly #outgoing: OutgoingRequest<T>;

  constructor(transport: Transport, outgoing: OutgoingRequest<T>) {
    this.#transport = transport;
    this.#outgoing = outgoing;
  }

  begin(): this {
    const { signal, budget } = this.#outgoing;
    if (signal?.aborted) this.#reject(signal.reason);
    else if (budget.timeout <= 0) this.#rejectTimedOut();
    else {
      if (signal) {
        this.#forgetSignal = onAbort(signal, () => {
          this.#attempt?.abort();
          this.#reject(signal.reason);
        });
      }
      const { timeout } = budget;
      const slowAfter = this.#transport.slowAfter?.(timeout) ?? timeout;
      this.#early = slowAfter < timeout;
      this.#timer = this.#timers.start(slowAfter, this);
      this.send();
    }
    return this;
  }

  get written(): boolean {
    return !this.#settled && (this.#taken || this.#outgoing.budget.possiblyApplied);
  }

  get #possiblyWritten(): boolean {
    return this.#started || this.#outgoing.budget.possiblyApplied;
  }

  /** A repeat of what may have been applied is the same, byte for byte. */
  get request(): HttpRequest {
    if (!this.#newest || !this.written) this.#newest = this.#outgoing.request;
    this.#taken = true;
    return this.#newest;
  }

  get #timers(): Timers {
    return this.#transport.timers ?? plainTimers;
  }

  /** @throws Error where this would be a repeat after the call's time, as when the process was frozen meanwhile. */
  onStart(): void {
    const { repeated, budget } = this.#outgoing;
    if ((this.#possiblyWritten || repeated) && budget.timeLeft <= 0) {
      throw new Error("the timeout has passed");
    }
    this.#started = true;
  }

  onResponse(response: HttpResponse, repeated = false): void {
    const outgoing = this.#outgoing;
    const { budget } = outgoing;
    if (repeated) budget.possiblyApplied = true;
    // 429, or 503 with the gateway's `Warmline-Outcome: unsent`: the request was not applied.
    const unsent = response.status === 503 && response.header("warmline-outcome") === "unsent";
    const unapplied = unsent || response.status === 429;
    if (unapplied) {
      const wait = budget.next(retryAfter(response));
      if (wait !== undefined) {
        this.#cause = statusError(response);
        this.#started = false;
        this.#sendAgain(wait, "answered");
        return;
      }
    } else if (response.status >= 500) {
      // Whatever stands between says so; the request may have been applied behind it.
      this.#failed("unknown", statusError(response));
      return;
    }
    let value: T;
    try {
      value = outgoing.read(response, budget.possiblyApplied);
    } catch (error) {
      const malformed = error instanceof MalformedReply;
      // A refusal says nothing about an earlier attempt with an unknown outcome. A rate limiter may be no Redis endpoint.
      if (unsent || (unapplied && (budget.possiblyApplied || malformed))) {
        this.#giveUp("unsent", malformed ? statusError(response) : (error as Error));
      } else if (malformed) this.#failed("unknown", error, ProtocolError);
      else this.#reject(error);
      return;
    }
    if (this.#settle()) outgoing.resolve(value);
  }

  onFailure(cause: Error): void {
    if ((cause as Partial<FinalFailure>).final) {
      this.#outgoing.budget.possiblyApplied = true;
      this.#giveUp("unknown", cause, ProtocolError);
    } else if ("retryAt" in cause) this.#giveUp("unsent", cause);
    else if (!this.#failed(this.#started ? "unknown" : "unsent", cause))
      this.#transport.onCallFailed?.(this.#outgoing.budget.timeout, false);
  }

  /** @returns whether it is sent again. */
  #failed(outcome: Outcome, cause: Error, Kind = UnknownOutcomeError): boolean {
    const { budget, repeatable } = this.#outgoing;
    const unknown = outcome === "unknown";
    this.#cause = cause;
    if (unknown) budget.possiblyApplied = true;
    if (!unknown || repeatable) {
      // A connection that was lost in use says nothing about the next one: try at once, then with backoff.
      const wait = budget.next(unknown && budget.retried === 0 ? 0 : undefined);
      if (wait !== undefined) {
        this.#sendAgain(wait, outcome);
        return true;
      }
    }
    this.#giveUp(outcome, cause, Kind);
    return false;
  }

  /** @param outcome that of the last attempt. A read changes nothing, so earlier ones don't count. */
  #giveUp(outcome: Outcome, cause: Error, Kind = UnknownOutcomeError): void {
    const { label: command, repeatable, write, budget } = this.#outgoing;
    const unknown = write ? budget.possiblyApplied : outcome === "unknown";
    // An error reply of the gateway ends in the command's name, which the message begins with.
    const reason = cause.message.replace(/ \(command: \S+\)$/, "");
    const sent = repeatable
      ? "no complete response"
      : "the command was sent, but no complete response arrived, so it may have been applied";
    const error = unknown
      ? new Kind(`${command}: ${sent}: ${reason}`, { outcome: "unknown", command, cause })
      : new ConnectionError(`${command}: not sent: ${reason}`, {
          command,
          cause,
          retryAt: (cause as Partial<Unreachable>).retryAt,
        });
    this.#reject(error);
  }

  send(): void {
    // After a freeze the pause and the call's own timer are late together, and the pause comes first.
    const { budget, repeatable } = this.#outgoing;
    if (budget.retried > 0 && budget.timeLeft <= 0) return;
    this.#started = false;
    this.#taken = false;
    this.#attempt = this.#transport.attempt(repeatable, this);
  }

  #sendAgain(waitMs: number, outcome: Outcome): void {
    const { label: command, budget } = this.#outgoing;
    this.#transport.onRetry({ command, outcome, retry: budget.retried, waitMs });
    this.#attempt = undefined;
    this.#taken = false;
    this.#pause = setTimeout(sendNow, waitMs, this);
  }

  onTimeout(): void {
    const { timeLeft, timeout } = this.#outgoing.budget;
    if (this.#early && timeLeft > 0) {
      this.#early = false;
      this.#end = setTimeout(fire, timeLeft, this);
      this.#transport.onSlow?.(timeout);
      return;
    }
    // After a freeze the timer is late, and the response may be waiting in the kernel: let it be read first.
    afterTwoPolls(() => {
      if (this.#settled) return;
      this.#attempt?.abort();
      this.#transport.onCallFailed?.(timeout, true);
      this.#rejectTimedOut();
    });
  }

  #rejectTimedOut(): void {
    const { label, budget, write } = this.#outgoing;
    const written = this.#possiblyWritten;
    const cause =
      this.#cause ??
      (this.#attempt && !written
        ? new Error("no connection was ready: check url, the network and maxConnections")
        : undefined);
    this.#reject(createTimeoutError(label, budget.timeout, written, write, cause));
  }

  #reject(reason: unknown): void {
    if (this.#settle(reason)) this.#outgoing.reject(reason);
  }

  /** Ends the timers. @returns false if the call was settled already. */
  #settle(error?: unknown): boolean {
    if (this.#settled) return false;
    this.#settled = true;
    if (this.#timer !== undefined) this.#timers.stop(this.#timer);
    if (this.#pause !== undefined) clearTimeout(this.#pause);
    if (this.#end !== undefined) clearTimeout(this.#end);
    this.#forgetSignal?.();
    this.#outgoing.onSettled?.(error);
    return true;
  }
}

// Handed to timers with the call as their argument, so that a call needs no functions of its own.
const fire = (call: Timed) => call.onTimeout();
const sendNow = (call: Pick<Call<never>, "send">) => call.send();

const plainTimers: Timers<ReturnType<typeof setTimeout>> = {
  start: (ms, call) => setTimeout(fire, ms, call),
  stop: (timer) => clearTimeout(timer),
};

const statusError = ({ status }: HttpResponse) =>
  new Error(`the endpoint responded with status ${status}${status === 429 ? ", too many requests" : ""}`);

/** Returns the delay that the response requests, in ms. RFC 9110, section 10.2.3: seconds or a date. */
function retryAfter(response: HttpResponse): number | undefined {
  const value = response.header("retry-after");
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

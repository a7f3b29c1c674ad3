import { ConnectionError, type Outcome, ProtocolError, UnknownOutcomeError } from "../errors.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import { MalformedReply } from "../protocol/malformed.js";
import { onAbort } from "../util/abort.js";
import { elapsed, moment } from "../util/clock.js";
import { clearTimeout, setImmediate, setTimeout } from "../util/timers.js";
import { ResponseTooLarge } from "./body.js";
import { createTimeoutError } from "./outcome.js";
import type { Attempt, AttemptListener, Timed, Timers, Transport } from "./transport.js";

/** A request's rules, whatever it carries. */
export interface CallRules {
  /** Its name in error messages. */
  readonly command: string;
  /** Whether it may be written again after it may have been applied. */
  readonly repeatable: boolean;
  /** Whether it carries something that an earlier call may have written. */
  readonly repeated?: boolean | undefined;
  /** The time for all of it, in ms. */
  readonly timeout: number;
  readonly signal: AbortSignal | undefined;
  /** How many times it is sent again at most. */
  readonly retries: number;
  /** The wait before the nth retry, from 0, in ms. */
  backoff(retry: number): number;
}

/** The source of a call's request. `request` is read again for each attempt until something was written. */
export interface RequestSource {
  readonly request: HttpRequest;
}

/** A call under way. */
export interface SentCall {
  /** Whether it was written and may have been applied; false again once it is settled. */
  readonly written: boolean;
}

/**
 * Sends a request until it is answered, cannot be sent again, or its time is up. It makes no promise of its own: one for
 * each command is enough.
 * @param read makes a value of a response; throws MalformedReply when it is not one of the endpoint's, and any
 * other error when it is and the command failed. `tried`: whether an earlier attempt may have been applied.
 */
export function beginCall<T>(
  transport: Transport,
  source: RequestSource,
  rules: CallRules,
  read: (response: HttpResponse, tried: boolean) => T,
  resolve: (value: T) => void,
  reject: (reason: unknown) => void,
): SentCall {
  return new Call(transport, source, rules, read, resolve, reject).begin();
}

class Call<T> implements AttemptListener {
  private attempt: Attempt | undefined;
  /** The call's own clock. Ref'd: while it runs the process does not end, whatever state the socket is in. */
  private timer: unknown;
  private pause: ReturnType<typeof setTimeout> | undefined;
  private retried = 0;
  /** When the call began. Its time is up on both clocks: one may stand still in a freeze. */
  private readonly began = moment();
  /** Whether this attempt has been written, and whether any has whose outcome is unknown. */
  private started = false;
  private unknown = false;
  private settled = false;
  private forgetSignal: (() => void) | undefined;
  /** The request that was written last, or is about to be. */
  private newest: HttpRequest | undefined;

  constructor(
    private readonly transport: Transport,
    private readonly source: RequestSource,
    private readonly rules: CallRules,
    private readonly read: (response: HttpResponse, tried: boolean) => T,
    private readonly resolve: (value: T) => void,
    private readonly reject: (reason: unknown) => void,
  ) {}

  begin(): this {
    const { signal, timeout } = this.rules;
    if (signal?.aborted) {
      this.settled = true;
      this.reject(signal.reason);
      return this;
    }
    if (timeout <= 0) {
      this.giveUpInTime();
      return this;
    }
    if (signal) {
      this.forgetSignal = onAbort(signal, () => {
        this.attempt?.abort();
        this.settle(this.reject, signal.reason);
      });
    }
    this.timer = this.timers.start(timeout, this);
    this.send();
    return this;
  }

  get written(): boolean {
    return !this.settled && (this.started || this.unknown);
  }

  /** A repeat of what may have been applied is the same, byte for byte. */
  get request(): HttpRequest {
    if (!this.newest || !this.written) this.newest = this.source.request;
    return this.newest;
  }

  private get timers(): Timers {
    return this.transport.timers ?? plainTimers;
  }

  /** @throws Error where this would be a repeat after the call's time, as when the process was frozen meanwhile. */
  onStart(): void {
    const repeat = this.started || this.unknown || this.rules.repeated;
    if (repeat && this.timeLeft <= 0) throw new Error("the timeout has passed");
    this.started = true;
  }

  private get timeLeft(): number {
    return this.rules.timeout - elapsed(this.began);
  }

  onResponse(response: HttpResponse, repeated = false): void {
    if (repeated) this.unknown = true;
    if (refusedUnapplied(response)) {
      const wait = retryAfter(response) ?? this.rules.backoff(this.retried);
      if (this.retried < this.rules.retries && wait < this.timeLeft) {
        this.started = false;
        this.sendAgain(wait, "answered");
        return;
      }
    } else if (response.status >= 500) {
      // Whatever stands between says so; the request may have been applied behind it.
      this.failed("unknown", statusError(response));
      return;
    }
    let value: T;
    try {
      value = this.read(response, this.unknown);
    } catch (error) {
      const malformed = error instanceof MalformedReply;
      // A refusal says nothing about an earlier attempt with an unknown outcome. A rate limiter may be no Redis endpoint.
      if (refusedUnsent(response) || (refusedUnapplied(response) && (this.unknown || malformed))) {
        this.giveUp(malformed ? statusError(response) : (error as Error));
      } else if (malformed) this.failed("unknown", error, ProtocolError);
      else this.settle(this.reject, error);
      return;
    }
    this.settle(this.resolve, value);
  }

  onFailure(cause: Error): void {
    if (cause instanceof ResponseTooLarge) {
      // It would be as large again.
      this.unknown = true;
      this.giveUp(cause, ProtocolError);
    } else this.failed(this.started ? "unknown" : "unsent", cause);
  }

  private failed(outcome: Outcome, cause: Error, Kind = UnknownOutcomeError): void {
    if (outcome === "unknown") this.unknown = true;
    if ((outcome === "unsent" || this.rules.repeatable) && this.retried < this.rules.retries) {
      // A connection that was lost in use says nothing about the next one: try at once, then with backoff.
      const wait = outcome === "unknown" && this.retried === 0 ? 0 : this.rules.backoff(this.retried);
      if (wait < this.timeLeft) {
        this.sendAgain(wait, outcome);
        return;
      }
    }
    this.giveUp(cause, Kind);
  }

  private giveUp(cause: Error, Kind = UnknownOutcomeError): void {
    const { command } = this.rules;
    const error = this.unknown
      ? new Kind(`${command}: ${unknownMessage(cause, this.rules.repeatable)}`, {
          outcome: "unknown",
          command,
          cause,
        })
      : new ConnectionError(`${command}: not sent: ${cause.message}`, { outcome: "unsent", command, cause });
    this.settle(this.reject, error);
  }

  send(): void {
    // After a freeze the pause and the call's own timer are late together, and the pause comes first.
    if (this.retried > 0 && this.timeLeft <= 0) return;
    this.started = false;
    this.attempt = this.transport.attempt(this.rules.repeatable, this);
  }

  private sendAgain(wait: number, outcome: Outcome): void {
    const { command } = this.rules;
    this.transport.onRetry({ command, outcome, retry: ++this.retried, waitMs: wait });
    this.attempt = undefined;
    this.pause = setTimeout(sendNow, wait, this);
  }

  onTimeout(): void {
    // After a freeze the timer is late, and the response may be waiting in the kernel: let it be read first.
    afterTwoPolls(() => {
      if (this.settled) return;
      this.attempt?.abort();
      this.giveUpInTime();
    });
  }

  private giveUpInTime(): void {
    const outcome: Outcome = this.started || this.unknown ? "unknown" : "unsent";
    const { command, timeout } = this.rules;
    this.settle(this.reject, createTimeoutError(command, timeout, outcome));
  }

  private settle<V>(how: (value: V) => void, value: V): void {
    if (this.settled) return;
    this.settled = true;
    if (this.timer !== undefined) this.timers.stop(this.timer);
    if (this.pause !== undefined) clearTimeout(this.pause);
    this.forgetSignal?.();
    how(value);
  }
}

// Handed to timers with the call as their argument, so that a call needs no functions of its own.
const fire = (call: Timed) => call.onTimeout();
const sendNow = (call: Pick<Call<never>, "send">) => call.send();

const plainTimers: Timers<ReturnType<typeof setTimeout>> = {
  start: (ms, call) => setTimeout(fire, ms, call),
  stop: (timer) => clearTimeout(timer),
};

function unknownMessage(cause: Error, repeatable: boolean): string {
  return repeatable
    ? `no complete response: ${cause.message}`
    : `the command was sent, but no complete response arrived, so it may have been applied: ${cause.message}`;
}

const statusError = ({ status }: HttpResponse) => new Error(`the endpoint responded with status ${status}`);

/** Responses that say that the request was not applied: 429, or 503 with the gateway's `Warmline-Outcome: unsent`. */
function refusedUnapplied(response: HttpResponse): boolean {
  return response.status === 429 || refusedUnsent(response);
}

/** Whether the gateway reports that it did not forward the request. */
function refusedUnsent(response: HttpResponse): boolean {
  return response.status === 503 && response.header("warmline-outcome") === "unsent";
}

/** Returns the delay that the response requests, in ms. RFC 9110, section 10.2.3: seconds or a date. */
function retryAfter(response: HttpResponse): number | undefined {
  const value = response.header("retry-after");
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** Lets the event loop poll twice, where there is a way to: once is not enough after a freeze in mid-callback. */
export function afterTwoPolls(then: () => void): void {
  const poll = setImmediate ?? ((next: () => void) => setTimeout(next, 0));
  poll(() => poll(then));
}

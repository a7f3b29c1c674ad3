import type { Outcome } from "../errors.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";

/** The state of an origin's circuit: `open` while the origin does not respond, `half-open` while a PING finds out. */
export type CircuitState = "closed" | "open" | "half-open";

/** The cause of a failure after which nothing is sent before `retryAt`. */
export interface Unreachable extends Error {
  /** In ms since 1970. */
  readonly retryAt: number;
}

/** The cause of a failure that a retry would not mend. Recognised by its field, because `warmline/undici` has its own copy of each class. */
export interface FinalFailure extends Error {
  readonly final: true;
}

/** Default of `maxReplySize` in bytes: the limit of warmline-gateway. */
export const DEFAULT_MAX_REPLY_SIZE = 512 * 1024 * 1024;

/** A response has more bytes than `maxReplySize` allows. The rest is not read. */
export class ResponseTooLarge extends Error implements FinalFailure {
  readonly final = true;

  constructor(limit: number) {
    super(`the response is larger than maxReplySize (${limit} bytes)`);
  }
}

/** A request to attempt. Exactly one of `onResponse` and `onFailure` is called, unless the attempt is aborted. */
export interface AttemptListener {
  /** The name of the request, by which slow requests are remembered. */
  readonly label: string;
  /**
   * Gives the request a number before it is written, if a second copy could do harm. Returns whether two copies
   * may be under way at the same time.
   */
  numberIfNeeded(): boolean;
  /** Whether a response refuses this copy of the request, while another copy under way may be applied. */
  isRefusal?(response: HttpResponse): boolean;
  /** Returns the request to write. From here on its bytes do not change: a command can't be withdrawn from it. */
  take(): HttpRequest;
  /**
   * Called right before each write of the request. From here on it may be applied.
   * @throws Error if the request must not be written any more.
   */
  onStart(): void;
  /** @param repeated whether the request was written more than once. The response says nothing about the other copy. */
  onResponse(response: HttpResponse, repeated?: boolean): void;
  onFailure(cause: Error): void;
}

export interface Attempt {
  /** The response is late: writes the request on another connection too, if it may be written twice. */
  onLate?(): void;
  /** Ends the attempt without a callback, and closes a connection with a response outstanding. */
  abort(): void;
}

/** Counts of what happened to an origin's connections since the process began. */
export interface ConnectionStats {
  /** Connections established. */
  opened: number;
  /** Requests written on a connection that had carried one before. */
  reused: number;
  /** Connections closed, for any reason. */
  closed: number;
  /** Requests sent again. */
  retries: number;
  /** Times that the process was found to have been frozen. */
  thaws: number;
  /** State of the circuit: while it is `open`, calls fail at once. Always `closed` without connections of the client's own. */
  circuit: CircuitState;
}

export const createStats = (): ConnectionStats => ({
  opened: 0,
  reused: 0,
  closed: 0,
  retries: 0,
  thaws: 0,
  circuit: "closed",
});

/** A request that is going to be sent again. */
export interface RetryInfo {
  /** Redis's name of the command, in upper case, or `PIPELINE` or `MULTI`. */
  readonly command: string;
  /** Outcome of the last attempt. `answered`: the endpoint reported that it had not applied the request. */
  readonly outcome: Outcome;
  /** Which retry of this call it is, from 1. */
  readonly retry: number;
  /** The wait before it, in ms. */
  readonly waitMs: number;
}

/** An operation with a time limit. */
export interface Timed {
  onTimeout(): void;
}

/** Ends calls at their time limits. */
export interface Timers<Timer = unknown> {
  /** Calls `onTimeout` after `ms`, unless stopped. Keeps the process alive until then. */
  start(ms: number, call: Timed): Timer;
  /** May be called after the timer has fired. */
  stop(timer: Timer): void;
}

/** Limits the auto-pipelines under way. Above a certain number it is faster to wait for one of them than to send another. */
export interface BatchLimiter {
  /** Returns a promise of the caller's turn to send, or undefined if the caller may send now. */
  turn(): Promise<void> | undefined;
  /** Counts a request. Returns a function to call at its end, with an argument unless the request took one round trip. */
  enter(): (failed?: unknown) => void;
}

/** Sends requests to an origin. The rest of the client depends on connections through this interface alone. */
export interface Transport {
  readonly stats: ConnectionStats;
  /** Timers that are cheaper than the runtime's, if there are any. */
  readonly timers?: Timers;
  /** Limits auto-pipelines, if commands of several ticks may share one. */
  readonly batchLimiter?: BatchLimiter;
  attempt(listener: AttemptListener): Attempt;
  /**
   * Called at the start of a call, and again while it has no response. Returns the value of `waited` at which to call again, or
   * `timeout` if no further call is needed. Both are times in ms, `waited` since the start.
   * @param attempt the current attempt, if its request may be sent a second time.
   */
  onWait?(waited: number, timeout: number, attempt?: Attempt): number;
  /** Called when a call with this timeout in ms has failed without a response, and is not sent again. */
  onCallFailed?(timeout: number, timedOut: boolean): void;
  /** Counts a retry. */
  onRetry(info: RetryInfo): void;
  /** Pre-opens a connection. Settles once it is open, has failed or has taken a second. Never rejects. */
  preconnect?(): Promise<void>;
  /** Pre-opens a connection, or checks a suspect one and replaces it. Settles as `preconnect` does. */
  ready?(): Promise<void>;
  /** Closes idle connections. */
  close?(): void;
  /** Opens an event stream; the runtime's own `fetch` if absent. */
  fetch?(url: string, init: RequestInit): Promise<Response>;
}

import type { Outcome } from "../errors.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";

/** The state of an origin's circuit: `open` while the origin does not respond, `half-open` while a PING finds out. */
export type CircuitState = "closed" | "open" | "half-open";

/** The cause of a failure after which nothing is sent before a time. */
export interface Unreachable extends Error {
  /** In ms since 1970. */
  readonly retryAt: number;
}

/** The cause of a failure that a repeat of the request would meet again. A mark instead of a class, since `warmline/undici` has a copy of it. */
export interface FinalFailure extends Error {
  readonly final: true;
}

/** The most bytes of a response's body unless `maxReplySize` says otherwise: as many as warmline-gateway passes on. */
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
  /** The name of the request, by which slow ones are known. */
  readonly label: string;
  /** Whether the request may be written twice. */
  readonly repeatable: boolean;
  /** Called before the request is written: gives it a number if that makes it repeatable. Returns whether it may be written twice. */
  makeRepeatable(): boolean;
  /** Whether a response refuses this copy of the request while another one, if it is under way, may be applied. */
  isRefusal?(response: HttpResponse): boolean;
  /** Returns the request to write. From here on its bytes do not change: a command can't be withdrawn from it. */
  take(): HttpRequest;
  /**
   * Right before the first byte is written: from here on the request may be applied. May be called twice.
   * @throws Error when it must not be written any more.
   */
  onStart(): void;
  /** @param repeated whether it was written more than once: of the other time the response says nothing. */
  onResponse(response: HttpResponse, repeated?: boolean): void;
  onFailure(cause: Error): void;
}

export interface Attempt {
  /** The response is late: the request is written on another connection as well, if that may and can be. */
  onLate?(): void;
  /** Gives up: nothing is called any more, and a connection with a response outstanding is closed. */
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

/** Whatever has a limited time. */
export interface Timed {
  onTimeout(): void;
}

/** Ends calls at their time limits. */
export interface Timers<Timer = unknown> {
  /** Calls `onTimeout` after so many ms unless it is stopped; until then the process does not end. */
  start(ms: number, call: Timed): Timer;
  /** May be called after the time was up. */
  stop(timer: Timer): void;
}

/** How many requests of automatic batches are under way: beyond some number, waiting for one of them takes less time than another one. */
export interface Crowd {
  /** Returns a promise of the caller's turn to send; undefined if it is now. */
  turn(): Promise<void> | undefined;
  /** A request is sent, after {@link turn}. Returns what is called at its end, with an argument unless it took one round trip. */
  enter(): (failed?: unknown) => void;
}

/** Sends requests to an origin. The rest of the client depends on connections through this interface alone. */
export interface Transport {
  readonly stats: ConnectionStats;
  /** Timers that are cheaper than the runtime's, if there are any. */
  readonly timers?: Timers;
  /** That of the requests that commands of several turns may share, where they may. */
  readonly crowd?: Crowd;
  attempt(listener: AttemptListener): Attempt;
  /**
   * Called at the start of a call, and again while it has no response.
   * @param waited time in ms since the start.
   * @param timeout that of the call in ms.
   * @param attempt the present one, if its request may be sent a second time meanwhile.
   * @returns the value of `waited` at which to call again; `timeout` if that is not needed.
   */
  onWait?(waited: number, timeout: number, attempt?: Attempt): number;
  /** Called when a call with this timeout in ms has failed for want of a response, and is not sent again. */
  onCallFailed?(timeout: number, timedOut: boolean): void;
  /** Counts a retry. */
  onRetry(info: RetryInfo): void;
  /** Opens a connection ahead of need; settles when that is done, failed or has taken a second. Never rejects. */
  preconnect?(): Promise<void>;
  /** Opens a connection, or checks one that may be dead and replaces it; settles as `preconnect` does. */
  ready?(): Promise<void>;
  /** Closes idle connections. */
  close?(): void;
  /** Opens an event stream; the runtime's own `fetch` if absent. */
  fetch?(url: string, init: RequestInit): Promise<Response>;
}

import type { Signal } from "../options/options.js";
import type { Argv } from "../protocol/rest-protocol.js";
import type { RetryBudget } from "../transport/retry-budget.js";
import type { Settings } from "./settings.js";

/** A request of the REST protocol before it becomes HTTP: what middleware sees. */
export interface UpstashRequest {
  /** `["pipeline"]` or `["multi-exec"]` for a batch; absent for one command. */
  path?: string[];
  /** The command's arguments, or for a batch an array of them. */
  body?: unknown;
  /** Headers that are sent besides the client's own. One that is the client's own is an ArgumentError. */
  headers?: Record<string, string>;
  /** Ends the request when it is aborted. */
  signal?: Signal;
}

/** The response to one command; a batch gives an array of them. */
export interface UpstashResponse<T> {
  /** The command's result, unless it failed. */
  result?: T;
  /** Redis's error, if the command failed. */
  error?: string;
}

/** Whatever carries requests to an endpoint and its responses back. */
export interface Requester {
  /** Sends one request. What it rejects with is what the command rejects with. */
  request<T = unknown>(request: UpstashRequest): Promise<UpstashResponse<T>>;
}

/** Wraps every request: call `next` with it, or with another, or answer it yourself. */
export type Middleware = (
  request: UpstashRequest,
  next: <T = unknown>(request: UpstashRequest) => Promise<UpstashResponse<T>>,
) => Promise<UpstashResponse<any>>;

/** The call that a request is carried for. */
export interface HandledCall {
  /** The settings of the client that was called, which may be others than those of the one that has the middleware. */
  readonly settings: Settings;
  /** The arguments of the call, before middleware. */
  readonly argv: Argv;
  /** Whether these arguments may be written again after they may have been applied. */
  readonly repeatable: boolean;
  /** The time that is left: middleware may send a request late, and again. */
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
}

/** A requester, or middleware around one. */
export type RequestHandler = (request: UpstashRequest, call: HandledCall) => Promise<UpstashResponse<any>>;

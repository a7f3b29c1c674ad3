import type { Signal } from "../options/options.js";
import type { Argv } from "../protocol/rest-protocol.js";
import type { RetryBudget } from "../transport/retry-budget.js";
import type { Settings } from "./settings.js";

/** A request of the REST protocol before it becomes HTTP: what middleware sees. */
export interface UpstashRequest {
  /** `["pipeline"]` or `["multi-exec"]` for a batch; absent for one command. */
  path?: string[];
  /** The command's name and arguments, or for a batch an array of such arrays. */
  body?: unknown;
  /** Headers that are sent besides the client's own, which they must not replace. */
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

/** Sends requests in place of the built-in transport. */
export interface Requester {
  /** Sends one request. What it rejects with is what the command rejects with. */
  request<T = unknown>(request: UpstashRequest): Promise<UpstashResponse<T>>;
}

/** Wraps each request. Call `next` with the request or another one, or return a response of your own. */
export type Middleware = (
  request: UpstashRequest,
  next: <T = unknown>(request: UpstashRequest) => Promise<UpstashResponse<T>>,
) => Promise<UpstashResponse<any>>;

/** The call to which a request belongs. */
export interface HandledCall {
  /** The settings of the client that was called. They may differ from those of the client with the middleware. */
  readonly settings: Settings;
  /** The arguments of the call, before middleware. */
  readonly argv: Argv;
  /** Whether the commands may be sent again after they may have been applied. */
  readonly repeatable: boolean;
  /** The time that is left. Middleware may use some of it before it sends a request. */
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
}

/** A requester, or middleware around one. */
export type RequestHandler = (request: UpstashRequest, call: HandledCall) => Promise<UpstashResponse<any>>;

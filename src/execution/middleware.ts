import { ArgumentError } from "../errors.js";
import type { Signal } from "../options/options.js";
import type { EncodedRequest } from "../protocol/rest-protocol.js";
import { createTimeoutError } from "../transport/timeout-error.js";
import { elapsed, moment } from "../util/clock.js";
import type { Settings } from "./settings.js";

/** A request of the REST protocol before it becomes HTTP: what middleware sees. */
export interface UpstashRequest {
  /** `["pipeline"]` or `["multi-exec"]` for a batch; absent for one command. */
  path?: string[];
  /** The command's arguments, or for a batch an array of them. */
  body?: unknown;
  /** Headers that are sent besides the client's own. */
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
export class HandledCall {
  readonly #began = moment();

  constructor(
    /** The settings of the client that was called, which may be others than those of the one that has the middleware. */
    readonly settings: Settings,
    /** The arguments of the call, before middleware. */
    readonly argv: EncodedRequest["argv"],
    /** Whether these arguments may be written again after they may have been applied. */
    readonly repeatable: boolean,
    /** The time for all of it, in ms. */
    readonly timeout: number,
    readonly signal: AbortSignal | undefined,
  ) {}

  /** The part of its time that is left, in ms: middleware may send a request late, and again. */
  get timeLeft(): number {
    return this.timeout - elapsed(this.#began);
  }
}

/** A requester, or middleware around one. */
export type RequestHandler = (request: UpstashRequest, call: HandledCall) => Promise<UpstashResponse<any>>;

/** Sends an encoded request through the request handler. Returns the response as JSON, empty if there was none. */
export async function runRequestHandler(
  requestHandler: RequestHandler,
  { argv, route }: EncodedRequest,
  label: string,
  call: HandledCall,
): Promise<string> {
  const { timeout, signal } = call;
  if ((route ? argv : [argv]).flat().some((arg) => typeof arg !== "string")) {
    throw new ArgumentError(`${label}: bytes can't be sent through middleware, which gets JSON`, {
      command: label,
    });
  }
  if (timeout <= 0) throw createTimeoutError(label, timeout, false);
  if (signal?.aborted) throw signal.reason;
  const request = { ...(route && { path: [route] }), body: argv, ...(signal && { signal }) };
  return JSON.stringify(await requestHandler(request, call)) ?? "";
}

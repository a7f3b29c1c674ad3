import { RedisError } from "../errors.js";
import { readJson } from "../wire/json.js";
import { MalformedReply } from "../wire/malformed.js";
import type { RawReply } from "../wire/reply.js";

/** A request of the REST protocol before it becomes HTTP: what middleware sees. */
export interface UpstashRequest {
  /** `["pipeline"]` or `["multi-exec"]` for a batch; absent for one command. */
  path?: string[];
  /** The command's words, or for a batch an array of them. */
  body?: unknown;
  /** Headers that are sent besides the client's own. */
  headers?: Record<string, string>;
  /** Ends the request when it is aborted. */
  signal?: AbortSignal;
}

/** The answer to one command; a batch gives an array of them. */
export interface UpstashResponse<T> {
  /** What the command gave, where it did not fail. */
  result?: T;
  /** Redis's error, where it did. */
  error?: string;
}

/** Whatever carries requests to an endpoint and its answers back. */
export interface Requester {
  /** Sends one request. What it rejects with is what the command rejects with. */
  request<T = unknown>(request: UpstashRequest): Promise<UpstashResponse<T>>;
}

/** Wraps every request: call `next` with it, or with another, or answer it yourself. */
export type Middleware = (
  request: UpstashRequest,
  next: <T = unknown>(request: UpstashRequest) => Promise<UpstashResponse<T>>,
) => Promise<UpstashResponse<any>>;

/** @throws MalformedReply when it is not an answer of the protocol. */
export function replyOf(response: unknown): RawReply {
  const text = JSON.stringify(response);
  if (text === undefined) throw new MalformedReply("the requester gave no answer");
  return readJson(text, false);
}

/** An answer's text as a requester gives it; one with an error becomes a RedisError, as in the reference client. */
export function responseOf(text: string, command: string): UpstashResponse<any> {
  let response: unknown;
  try {
    response = JSON.parse(text);
  } catch {
    throw new MalformedReply("the answer is not JSON");
  }
  const { error } = (response ?? {}) as UpstashResponse<unknown>;
  if (typeof error === "string") throw new RedisError(error, { command });
  return response as UpstashResponse<any>;
}

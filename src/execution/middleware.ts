import { isWrite } from "../commands/write.js";
import type { WarmlineError } from "../errors.js";
import type { EncodedRequest, Route } from "../protocol/rest-protocol.js";
import type { CommandExecutor } from "./executor.js";

/** A request of the REST protocol before it becomes HTTP: what middleware sees. */
export interface UpstashRequest {
  /** `["pipeline"]` or `["multi-exec"]` for a batch; absent for one command. */
  path?: string[];
  /** The command's arguments, or for a batch an array of them. */
  body?: unknown;
  /** Headers that are sent besides the client's own. */
  headers?: Record<string, string>;
  /** Ends the request when it is aborted. */
  signal?: AbortSignal;
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
  readonly executor: CommandExecutor;
  /** The arguments of the call, before middleware. */
  readonly argv: EncodedRequest["argv"];
  /** Whether these arguments may be written again after they may have been applied. */
  readonly repeatable: boolean;
  /** The time for all of it, in ms. */
  readonly timeout: number;
  /** The part of it that is left, in ms: middleware may send a request late, and again. */
  timeLeft(): number;
  readonly signal: AbortSignal | undefined;
}

/** A requester, or middleware around one. */
export type RequestHandler = (request: UpstashRequest, call: HandledCall) => Promise<UpstashResponse<any>>;

/** The error of a call whose time is up. @param sent whether it had been given to what carries it. */
export function timeoutError(
  { executor, timeout }: HandledCall,
  label: string,
  sent: boolean,
): WarmlineError {
  const state = sent ? "the command was sent and may have been applied" : "the command was not sent";
  const message = `no response within ${Math.round(timeout)} ms; ${state}`;
  return executor.errorFactory(label)("TimeoutError", message, { outcome: sent ? "unknown" : "unsent" });
}

/** Sends an encoded request through the request handler. Returns the response as JSON, empty if there was none. */
export async function runMiddleware(
  requestHandler: RequestHandler,
  { argv, route }: EncodedRequest,
  label: string,
  call: HandledCall,
): Promise<string> {
  const { executor, timeout, signal } = call;
  if ((route ? argv : [argv]).flat().some((arg) => typeof arg !== "string")) {
    throw executor.errorFactory(label)(
      "ArgumentError",
      "bytes can't be sent through middleware, which gets JSON",
    );
  }
  if (timeout <= 0) throw timeoutError(call, label, false);
  if (signal?.aborted) throw signal.reason;
  const request = { ...(route && { path: [route] }), body: argv, ...(signal && { signal }) };
  return JSON.stringify(await requestHandler(request, call)) ?? "";
}

/**
 * Sends what middleware lets through.
 * @param direct the client without middleware, with the settings of the call.
 * @throws RedisError where the response has an error, as in the reference client.
 */
export function sendDirect(
  direct: CommandExecutor,
  { path = [], body, signal: given }: UpstashRequest,
  call: HandledCall,
): Promise<UpstashResponse<any>> {
  const route = path.join("/") as Route;
  const commands = (route ? body : [body]) as unknown[][];
  const label = route ? route.toUpperCase() : String(commands[0]?.[0]);
  // Only the arguments are known of a request that middleware created itself.
  const repeatable =
    body === call.argv ? call.repeatable : !commands.some((argv) => isWrite(argv, direct.findSpec));
  const read = (reply: unknown) => {
    const response = reply as UpstashResponse<any>;
    if (typeof response?.error === "string") throw direct.errorFactory(label)("RedisError", response.error);
    return response;
  };
  const signal = given ?? call.signal;
  const encoded = direct.context.protocol.passthrough(body, route);
  return new Promise((resolve, reject) =>
    direct.send(encoded, label, repeatable, read, resolve, reject, { time: call.timeLeft(), signal }),
  );
}

import { isWrite } from "../commands/write.js";
import type { Core } from "../core.js";
import type { Message, Route } from "../wire/protocol.js";

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

/** Has a message carried. Gives the answer as JSON, which is empty where there was none. */
export async function carry(
  core: Core,
  requester: Requester,
  { words, route }: Message,
  label: string,
): Promise<string> {
  if ((route ? words : [words]).flat().some((word) => typeof word !== "string")) {
    throw core.failureOf(label)("ArgumentError", "bytes can't pass middleware, which sees JSON");
  }
  const answer = await requester.request(route ? { path: [route], body: words } : { body: words });
  return JSON.stringify(answer) ?? "";
}

/**
 * Sends what middleware lets through.
 * @throws RedisError where the answer has an error, as in the reference client.
 */
export function forward(
  core: Core,
  { path = [], body, signal = core.signal }: UpstashRequest,
): Promise<UpstashResponse<any>> {
  const route = path.join("/") as Route;
  const commands = (route ? body : [body]) as unknown[][];
  const label = route ? route.toUpperCase() : String(commands[0]?.[0]);
  const safe = !commands.some((words) => isWrite(words, core.rowOf));
  const read = (answer: unknown) => {
    const response = answer as UpstashResponse<any>;
    if (typeof response?.error === "string") throw core.failureOf(label)("RedisError", response.error);
    return response;
  };
  return new Promise((resolve, reject) =>
    core.having({ signal }).send(core.base.protocol.plain(body, route), label, safe, read, resolve, reject),
  );
}

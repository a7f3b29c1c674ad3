import type { Endpoint } from "../config.js";
import {
  ConfigError,
  ConnectionError,
  ProtocolError,
  RedisError,
  TimeoutError,
  WarmlineError,
} from "../errors.js";

/** How long warmline-gateway may be silent, in ms: it shows every 25 s that it is alive. */
const LONGEST_SILENCE = 60_000;

/** A request for an event stream. */
export interface StreamRequest {
  /** Where to, or why that is not known. */
  readonly endpoint: Endpoint | ConfigError;
  /** Below the endpoint's own path. */
  readonly path: string;
  /** What error messages call it. */
  readonly command: string;
  /** How long the first line may take, in ms. */
  readonly timeout: number;
  /** Ends the stream. */
  readonly signal: AbortSignal;
}

/**
 * Opens an event stream and gives its lines, those that came together together. Leaving the loop ends the request.
 * @throws RedisError when the endpoint refuses; ProtocolError when it is none; ConnectionError when it can't be
 * reached or the stream ends, TimeoutError when nothing comes in time: for these, trying again may help. The
 * signal's reason when that is what ended it.
 */
export async function* streamLines(request: StreamRequest): AsyncGenerator<string[], never> {
  const { endpoint, path, command, timeout, signal } = request;
  if (endpoint instanceof ConfigError) throw endpoint;
  const details = { outcome: "unsent", command } as const;
  const controller = new AbortController();
  const abort = () => controller.abort(signal.reason);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectWithin = (ms: number) => {
    timer = setTimeout(() => {
      controller.abort(new TimeoutError(`${command}: nothing came for ${Math.round(ms)} ms`, details));
    }, ms);
  };
  signal.addEventListener("abort", abort);
  try {
    signal.throwIfAborted();
    expectWithin(timeout);
    // By the runtime's own fetch: a stream keeps its connection for itself, and the pool's are for commands.
    const response = await fetch(endpoint.origin + endpoint.path + path, {
      method: "POST",
      headers: { authorization: `Bearer ${endpoint.token}`, accept: "text/event-stream" },
      redirect: "manual",
      signal: controller.signal,
    });
    const { headers, body, status } = response;
    const type = headers.get("content-type");
    if (status !== 200 || !body || !type?.startsWith("text/event-stream")) {
      throw refusal(await response.text(), status, type, command);
    }
    const reader = body.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      clearTimeout(timer);
      if (done) throw new ConnectionError(`${command}: the stream ended`, details);
      const lines = decoder.decode(value, { stream: true }).split("\n");
      // Only what is new is searched for line ends, however long the line.
      lines[0] = rest + lines[0];
      rest = lines.pop()!;
      // Whoever takes the lines may take their time; the sender is not to blame for that.
      if (lines.length > 0) yield lines;
      if (headers.has("warmline-gateway")) expectWithin(LONGEST_SILENCE);
    }
  } catch (error) {
    if (signal.aborted || error instanceof WarmlineError) throw error;
    const { message } = ((error as Error).cause as Error | undefined) ?? (error as Error);
    throw new ConnectionError(`${command}: ${message}`, { ...details, cause: error });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", abort);
    controller.abort();
  }
}

function refusal(text: string, status: number, type: string | null, command: string): WarmlineError {
  let error: unknown;
  try {
    error = JSON.parse(text).error;
  } catch {
    // Somebody else's page.
  }
  if (status >= 500 || status === 429) {
    const message = `${command}: ${typeof error === "string" ? error : `status ${status}`}`;
    return new ConnectionError(message, { outcome: "unsent", command });
  }
  if (typeof error === "string") return new RedisError(error, { command });
  const message = `${command}: status ${status} with content type ${type ?? "missing"}: is this a Redis HTTP endpoint?`;
  return new ProtocolError(message, { outcome: "unsent", command });
}

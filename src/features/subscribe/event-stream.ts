import {
  ConfigError,
  ConnectionError,
  ProtocolError,
  RedisError,
  TimeoutError,
  WarmlineError,
} from "../../errors.js";
import type { ConfiguredClient } from "../../execution/client-context.js";
import { type Endpoint, refusedToken } from "../../options/endpoint.js";
import { describeStatus } from "../../protocol/status.js";
import { noStore } from "../../transport/no-store.js";
import { onAbort, throwIfAborted } from "../../util/abort.js";
import { rootCause } from "../../util/root-cause.js";
import { sleep } from "../../util/timers.js";

/** Maximum silence of warmline-gateway in ms. It sends a comment every 25 s. */
const MAX_SILENCE = 60_000;

/** A request for an event stream. */
export interface StreamRequest {
  readonly endpoint: Endpoint;
  /** Opens a stream; the runtime's `fetch` if undefined. */
  readonly open?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
  /** The path after the endpoint's path. */
  readonly path: string;
  /** A JSON document. Default: none. */
  readonly body?: string;
  /** The command's name in error messages. */
  readonly command: string;
  /** Ends the stream. */
  readonly signal: AbortSignal | undefined;
}

/**
 * Returns the endpoint where event streams are opened, and the function that opens them.
 * @throws ConfigError if the client has no such endpoint.
 */
export function getStreamEndpoint(
  { context: { endpoint, transport } }: ConfiguredClient,
  command: string,
): Pick<StreamRequest, "endpoint" | "open"> {
  if (endpoint instanceof Error) throw endpoint;
  if (endpoint) return { endpoint, open: transport.fetch?.bind(transport) };
  throw new ConfigError(`${command}: event streams need url and token, not a requester`, {
    command,
  });
}

/**
 * Opens an event stream and yields its lines, in the groups in which they arrive. Leaving the loop ends the request.
 * @param timeout time limit in ms for the first data.
 * @throws RedisError if the endpoint refuses; ProtocolError if the response is not one of an endpoint; the signal's reason;
 * ConnectionError if the endpoint can't be reached or the stream ends, TimeoutError if no data arrives in time: after these two a
 * retry may help.
 */
export async function* streamLines(
  { endpoint, open = fetch, path, body, command, signal }: StreamRequest,
  timeout: number,
): AsyncGenerator<string[], never> {
  const controller = new AbortController();
  const forgetSignal = signal && onAbort(signal, () => controller.abort(signal.reason));
  const lost = (reason: string, cause?: unknown) =>
    new ConnectionError(`${command}: ${reason}`, { command, cause });
  let timer: ReturnType<typeof setTimeout> | undefined;
  const expectWithin = (ms: number) => {
    const error = () => new TimeoutError(`${command}: no data arrived in time`, { command });
    timer = setTimeout(() => controller.abort(error()), ms);
  };
  try {
    expectWithin(timeout);
    // Not on a connection of the pool: a stream occupies its connection, and those are for commands.
    const response = await open(endpoint.origin + endpoint.path + path, {
      method: "POST",
      headers: { authorization: `Bearer ${endpoint.token}`, accept: "text/event-stream" },
      redirect: "manual",
      ...noStore(),
      signal: controller.signal,
      body,
    });
    const { headers, status } = response;
    if (!headers.get("content-type")?.startsWith("text/event-stream")) {
      const error = errorIn(await response.text());
      if (status >= 500 || status === 429) throw lost(error ?? `status ${status}`);
      if (error) throw new RedisError(status === 401 ? error + refusedToken(endpoint) : error, { command });
      const shown = { status, header: (name: string) => headers.get(name) ?? undefined };
      throw new ProtocolError(`${command}: ${describeStatus(shown, endpoint.origin)}`, { command });
    }
    const reader = response.body!.getReader();
    const decoder = new TextDecoder();
    let rest = "";
    let begun = false;
    for (;;) {
      const { done, value } = await reader.read();
      // undici returns empty chunks at once while its parser is paused. More bytes arrive in another turn of the loop.
      if (value?.length === 0) {
        await sleep(0);
        continue;
      }
      if (done) throw lost("the stream ended");
      const parts = decoder.decode(value, { stream: true }).split("\n");
      // Only the new characters are searched for line ends, however long the line.
      parts[0] = rest + parts[0];
      rest = parts.pop()!;
      // A line may end in CRLF.
      const lines = parts.map((line) => (line.endsWith("\r") ? line.slice(0, -1) : line));
      // Comments do not confirm the subscription.
      begun ||= lines.some(dataIn);
      // The timer does not run here: a slow consumer of the lines is not a silent sender.
      if (begun) clearTimeout(timer);
      yield lines;
      if (begun && headers.has("warmline-gateway")) expectWithin(MAX_SILENCE);
    }
  } catch (error) {
    // An aborted stream may fail with another error than the signal's reason.
    throwIfAborted(controller.signal);
    if (error instanceof WarmlineError) throw error;
    throw lost(rootCause(error as Error).message, error);
  } finally {
    clearTimeout(timer);
    forgetSignal?.();
    controller.abort();
  }
}

/** Returns the data of a `data:` line; undefined for any other line, and for empty data. The space is optional (HTML standard, 9.2.6). */
export function dataIn(line: string): string | undefined {
  return (line.startsWith("data:") && line.slice(line[5] === " " ? 6 : 5)) || undefined;
}

/** Returns the error text of a response of the REST protocol, or undefined for a response of another server. */
export function errorIn(text: string): string | undefined {
  try {
    return JSON.parse(text).error.trim();
  } catch {
    // Not JSON, or no text in it: the response of another server.
    return undefined;
  }
}

import { builtin } from "../transport/node/builtin.js";
import type {
  ConnectionClosedEvent,
  ConnectionOpenedEvent,
  ConnectionReusedEvent,
  RetryEvent,
  ThawEvent,
} from "../transport/node/events.js";
import { monotonicTime } from "../util/clock.js";

/** A message of the channel of requests. It is the same object from the start of a request to its end. */
interface TracedRequest {
  readonly command: string;
  readonly batchSize?: number;
  readonly serverAddress: string;
  readonly error?: { readonly name?: string; readonly outcome?: string; readonly code?: string };
}

let isStarted = false;

/**
 * Prints a line on stderr for each request, and for what happened to connections, if NODE_DEBUG names warmline. The lines have
 * commands by their names, and no argument.
 */
export function startDebugLog(): void {
  if (isStarted || !/\bwarmline\b/i.test(process.env.NODE_DEBUG ?? "")) return;
  isStarted = true;
  const { subscribe, tracingChannel } = builtin("node:diagnostics_channel");
  const log = builtin("node:util").debuglog("warmline");
  const on = <T>(name: string, lineOf: (event: T) => string) =>
    subscribe(`warmline:${name}`, (event) => log(lineOf(event as T)));
  const ms = (time: number) => `${time.toFixed(1)} ms`;
  on<ConnectionOpenedEvent>("connection:opened", (event) => `connection opened in ${ms(event.ms)}`);
  on<ConnectionReusedEvent>(
    "connection:reused",
    (event) => `connection reused, idle for ${ms(event.idleMs)}`,
  );
  on<ConnectionClosedEvent>("connection:closed", (event) => `connection closed: ${event.reason}`);
  on<RetryEvent>(
    "retry",
    ({ command, outcome, retry, waitMs }) => `${command}: ${outcome}, retry ${retry} in ${ms(waitMs)}`,
  );
  on<ThawEvent>(
    "thaw",
    ({ frozenMs, idle }) => `frozen for ${ms(frozenMs)}: ${idle} connections are suspect`,
  );
  const started = new WeakMap<object, number>();
  tracingChannel("warmline:request").subscribe({
    start: (message) => void started.set(message, monotonicTime()),
    end() {},
    asyncStart() {},
    error() {},
    asyncEnd(message) {
      const { command, batchSize, serverAddress, error } = message as unknown as TracedRequest;
      const what = batchSize ? `${command} of ${batchSize}` : command;
      const { name, outcome, code } = error ?? {};
      const result = error ? [name, code, outcome].filter(Boolean).join(" ") : "ok";
      log(`${what}: ${result} in ${ms(monotonicTime() - started.get(message)!)} (${serverAddress})`);
    },
  });
}

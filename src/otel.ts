/**
 * OpenTelemetry spans and metrics of the client, by the semantic conventions of database clients. Needs `@opentelemetry/api`.
 *
 * @module warmline/otel
 */
import { type Context, context } from "@opentelemetry/api";
import { ConfigError } from "./errors.js";
import type { TraceContext, TracingOptions } from "./options/options.js";
import { createConnectionMetrics } from "./otel/connections.js";
import { beginOperation, type Operation, propagate } from "./otel/operations.js";
import { resolveOptions, type TelemetryOptions } from "./otel/options.js";
import { builtin } from "./transport/node/builtin.js";

export type { TelemetryOptions } from "./otel/options.js";

/** Global key of the function that stops the running telemetry, so that a copy of this module after a hot reload finds it. */
const RUNNING = Symbol.for("warmline.telemetry");

/** A message of a tracing channel: Node adds the error. */
type Message = TraceContext & { readonly error?: unknown };

/**
 * Starts to create spans and metrics of all clients and connectors of this thread, on Node, Deno and Bun. Call it once, after the
 * OpenTelemetry SDK has started and before the first command. A second call replaces the first.
 * @returns a function that stops it.
 * @throws ConfigError if an option is unknown or malformed, or the runtime has no `node:diagnostics_channel`.
 */
export function startTelemetry(options: TelemetryOptions = {}, ...surplus: []): () => void {
  const settings = resolveOptions("startTelemetry", options, surplus);
  if (typeof globalThis.process?.getBuiltinModule !== "function") {
    const instead = "pass createTracing() as the option tracing of new Redis() instead";
    throw new ConfigError(
      `startTelemetry needs node:diagnostics_channel, which this runtime does not have: ${instead}`,
    );
  }
  const shared = globalThis as { [RUNNING]?: () => void };
  shared[RUNNING]?.();

  const { subscribe, tracingChannel, unsubscribe } = builtin("node:diagnostics_channel");
  const { AsyncLocalStorage } = builtin("node:async_hooks");
  /** The context of the current operation, if operations are commands. */
  const current = new AsyncLocalStorage<Context>();
  const operations = new WeakMap<object, Operation>();
  const begin = (message: unknown) => {
    const operation = beginOperation(message as Message, context.active());
    operations.set(message as Message, operation);
    return operation.context;
  };
  const onRequest = (message: unknown) => {
    const operationContext = settings.spans === "request" ? begin(message) : current.getStore();
    if (settings.propagate) propagate(message as Message, operationContext);
  };
  const onEnd = (message: unknown) => {
    const { error } = message as Message;
    operations.get(message as Message)?.end("error" in (message as Message) ? { error } : undefined);
  };
  const { start } = tracingChannel("warmline:request");
  const { start: commandStart } = tracingChannel("warmline:command");
  const { asyncEnd } = tracingChannel(`warmline:${settings.spans}`);
  start.subscribe(onRequest);
  if (settings.spans === "command") commandStart.bindStore(current, begin);
  asyncEnd.subscribe(onEnd);
  const handlers = Object.entries(createConnectionMetrics()) as [string, (event: unknown) => void][];
  for (const [channel, handler] of handlers) subscribe(channel, handler);

  const stop = () => {
    start.unsubscribe(onRequest);
    commandStart.unbindStore(current);
    asyncEnd.unsubscribe(onEnd);
    for (const [channel, handler] of handlers) unsubscribe(channel, handler);
    if (shared[RUNNING] === stop) delete shared[RUNNING];
  };
  shared[RUNNING] = stop;
  return stop;
}

/**
 * Returns the option `tracing` of a client, `new Redis({ url, token, tracing: createTracing() })`, that creates spans and durations on
 * any runtime, such as Cloudflare Workers. On Node, Deno and Bun `startTelemetry` observes all clients, and their connections.
 * @throws ConfigError if an option is unknown or malformed.
 */
export function createTracing(options: TelemetryOptions = {}, ...surplus: []): TracingOptions {
  const settings = resolveOptions("createTracing", options, surplus);
  return {
    hook(message) {
      const operation =
        message.operation === settings.spans ? beginOperation(message, context.active()) : undefined;
      if (message.operation === "request" && settings.propagate) propagate(message, operation?.context);
      return (
        operation && ((...failure) => operation.end(failure.length > 0 ? { error: failure[0] } : undefined))
      );
    },
  };
}

import type { ConfigError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { TraceContext, TraceHook, TracingOptions } from "../options/options.js";

type Operation = TraceContext["operation"];

/** Reports the beginning and the end of commands and requests. */
export interface Tracer {
  /** Whether `trace` has an effect now. Without, nothing is created for it. */
  isActive(operation: Operation): boolean;
  /** Calls `run` at once. The returned promise settles as that of `run` does. */
  trace<T>(context: TraceContext, run: () => Promise<T>): Promise<T>;
}

/** The parts of a client's context that its traces need. */
interface TracedClient {
  readonly tracer?: Tracer | undefined;
  readonly endpoint: Endpoint | ConfigError | undefined;
}

/** The tracer of a client: its hook around the platform's. */
export function createTracer({ hook }: TracingOptions, inner: Tracer | undefined): Tracer | undefined {
  if (!hook) return inner;
  return {
    isActive: () => true,
    trace(context, run) {
      const end = callHook(hook, context);
      // What `run` throws ends the trace too.
      const settled = async () => (inner?.isActive(context.operation) ? inner.trace(context, run) : run());
      const promise = settled();
      if (end) promise.then(() => end(), end);
      return promise;
    },
  };
}

/** An error of the hook is uncaught, as that of an event's listener: the command is sent all the same. */
function callHook(hook: TraceHook, context: TraceContext): ReturnType<TraceHook> {
  try {
    return hook(context);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/**
 * Calls `run`, traced if there is a tracer that is active.
 * @param details the rest of the context.
 */
export function traced<T>(
  { tracer, endpoint }: TracedClient,
  operation: Operation,
  run: () => Promise<T>,
  details: Pick<TraceContext, "command" | "batchSize" | "args">,
): Promise<T> {
  if (!tracer?.isActive(operation)) return run();
  const { hostname, port, protocol } = new URL(
    (endpoint as Endpoint | undefined)?.origin ?? "http://localhost",
  );
  const context: TraceContext = {
    operation,
    ...details,
    serverAddress: hostname.replace(/[[\]]/g, ""),
    serverPort: +port || (protocol > "http:" ? 443 : 80),
  };
  return tracer.trace(context, run);
}

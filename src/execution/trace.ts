import type { ConfigError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { TraceContext, TraceHook, TracingOptions } from "../options/options.js";

type Operation = TraceContext["operation"];

/** The parts of a context that differ from trace to trace. */
export type TraceDetails = Pick<TraceContext, "command" | "batchSize" | "args" | "headers">;

/** Reports the beginning and the end of commands and requests. */
export interface Tracer {
  /** Whether `trace` has an effect now. If not, no context is created for it. */
  isActive(operation: Operation): boolean;
  /** Calls `run` at once. Returns a promise that settles like the promise of `run`. */
  trace<T>(context: TraceContext, run: () => Promise<T>): Promise<T>;
}

/** The parts of a client's context that its traces need. */
interface TracedClient {
  readonly tracer?: Tracer | undefined;
  readonly endpoint: Endpoint | ConfigError | undefined;
}

/** Returns the tracer of a client: its hook around the tracer of the platform. */
export function createTracer({ hook }: TracingOptions, inner?: Tracer): Tracer | undefined {
  if (!hook) return inner;
  return {
    isActive: () => true,
    trace(context, run) {
      let end: ReturnType<TraceHook>;
      try {
        end = hook(context);
      } catch (error) {
        // The error is uncaught, like that of an event listener. The command is sent anyway.
        queueMicrotask(() => {
          throw error;
        });
      }
      // What `run` throws ends the trace too.
      const settled = async () => (inner?.isActive(context.operation) ? inner.trace(context, run) : run());
      const promise = settled();
      if (end) promise.then(() => end(), end);
      return promise;
    },
  };
}

/**
 * Calls `run`, traced if there is a tracer that is active.
 * @param details returns the rest of the context, in an object that becomes the context.
 */
export function traced<T>(
  { tracer, endpoint }: TracedClient,
  operation: Operation,
  run: () => Promise<T>,
  details: () => TraceDetails,
): Promise<T> {
  if (!tracer?.isActive(operation)) return run();
  const { hostname, port, protocol } = new URL(
    (endpoint as Endpoint | undefined)?.origin ?? "http://localhost",
  );
  const server = {
    operation,
    serverAddress: hostname.replace(/[[\]]/g, ""),
    serverPort: +port || (protocol > "http:" ? 443 : 80),
  };
  return tracer.trace(Object.assign(details(), server), run);
}

/** Returns the name of a batch in traces. The name of its commands follows the label if they are all the same. */
export function traceName(label: string, commands: readonly { readonly name: string }[]): string {
  const [, name, ...others] = new Set([label, ...commands.map((command) => command.name)]);
  return name && others.length === 0 ? `${label} ${name}` : label;
}

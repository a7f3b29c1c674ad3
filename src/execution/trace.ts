import type { ConfigError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { TraceContext, TraceHook, TracingOptions } from "../options/options.js";
import { toServer } from "../util/server-address.js";

type Operation = TraceContext["operation"];

/** The parts of a context that differ from trace to trace. */
export type TraceDetails = Pick<TraceContext, "command" | "batchSize" | "args" | "headers">;

/** Reports the beginning and the end of commands and requests. */
export interface Tracer {
  /** Whether `trace` has an effect now. If not, callers build no context. */
  isActive(operation: Operation): boolean;
  /** Calls `run` at once. Returns a promise that settles like the promise of `run`. */
  trace<T>(context: TraceContext, run: () => Promise<T>): Promise<T>;
}

/** The parts of a client's context that its traces need. */
interface TracedContext {
  readonly tracer?: Tracer | undefined;
  readonly endpoint: Endpoint | ConfigError | undefined;
}

/** Creates the tracer of a client. It calls the hook, then `inner`, the platform's tracer. Returns `inner` if there is no hook. */
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
      // An error that `run` throws synchronously ends the trace too.
      const settled = async () => (inner?.isActive(context.operation) ? inner.trace(context, run) : run());
      const promise = settled();
      if (end) promise.then(() => end(), end);
      return promise;
    },
  };
}

/**
 * Calls `run`, traced if there is a tracer that is active.
 * @param details returns a new object with the fields that differ from trace to trace. The common ones are added to it.
 */
export function traced<T>(
  { tracer, endpoint }: TracedContext,
  operation: Operation,
  run: () => Promise<T>,
  details: () => TraceDetails,
): Promise<T> {
  if (!tracer?.isActive(operation)) return run();
  // Without a valid endpoint (undefined or a ConfigError), the address is that of localhost.
  const { host, port } = toServer(new URL((endpoint as Endpoint | undefined)?.origin ?? "http://localhost"));
  return tracer.trace(Object.assign(details(), { operation, serverAddress: host, serverPort: port }), run);
}

/** Returns the name of a batch in traces: the label, followed by the command's name if it is the same for all commands. */
export function traceName(label: string, commands: readonly { readonly name: string }[]): string {
  const [name = label, ...others] = new Set(commands.map((command) => command.name));
  return name !== label && others.length === 0 ? `${label} ${name}` : label;
}

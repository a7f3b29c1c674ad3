import { ConfigError } from "../errors.js";
import { checkCall, checkNames } from "../options/check-call.js";

/** Options of {@link startTelemetry} and {@link createTracing}. */
export interface TelemetryOptions {
  /**
   * The operation of a span and a duration. `"request"` (default): an HTTP request with its retries, which contains the commands of
   * one tick. `"command"`: a command, a pipeline or a transaction, from the call until it settles.
   */
  spans?: "request" | "command" | undefined;
  /** Whether requests carry the trace context, in headers such as `traceparent`. Default true. */
  propagate?: boolean | undefined;
}

/** @throws ConfigError if an option is unknown or malformed. */
export function resolveOptions(
  call: string,
  options: TelemetryOptions,
  surplus: readonly unknown[],
): { readonly spans: "request" | "command"; readonly propagate: boolean } {
  const assert = checkCall(ConfigError, call, 1, surplus);
  checkNames(assert, options, ["spans", "propagate"]);
  const { spans = "request", propagate = true } = options;
  assert(spans === "request" || spans === "command", 'spans must be "request" or "command"');
  assert(typeof propagate === "boolean", "propagate must be true or false");
  return { spans, propagate };
}

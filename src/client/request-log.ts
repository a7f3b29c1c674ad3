import type { TraceContext, TraceHook } from "../options/options.js";
import type { Transport } from "../transport/transport.js";

/** Returns a line of the log. JSON leaves out members that are undefined. */
export const logLine = (name: string, details: object) => `${name} ${JSON.stringify(details)}`;

/** Returns the line of a request that has ended, with its error if it failed. */
export const requestLine = (
  { command, batchSize, serverAddress }: Pick<TraceContext, "command" | "batchSize" | "serverAddress">,
  ms: number,
  // The reason of an abort may be any value.
  error: any = { name: "ok" },
): string => {
  const { name: result = "error", code, outcome } = Object(error);
  return logLine(command, { batchSize, result, code, outcome, ms: Math.round(ms), serverAddress });
};

const print = (line: string) => console.log(`warmline: ${line}`);

/** Prints a line for each request, on runtimes without channels. */
export const logHook: TraceHook = (context) => {
  const started = Date.now();
  return context.operation === "request"
    ? (error) => print(requestLine(context, Date.now() - started, error))
    : undefined;
};

/** Makes a transport print its retries. */
export function logRetries(transport: Transport): void {
  const { onRetry } = transport;
  transport.onRetry = (info) => {
    print(logLine("retry", info));
    onRetry.call(transport, info);
  };
}

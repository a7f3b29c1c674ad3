import type { CommandExecutor } from "../../execution/executor.js";
import type { Endpoint } from "../../options/options.js";
import type { ErrorFactory } from "./failure.js";

/**
 * Where event streams are opened.
 * @throws ConfigError where they can't be.
 */
export function getStreamEndpoint(
  { context: { endpoint } }: CommandExecutor,
  failure: ErrorFactory,
): Endpoint {
  if (!endpoint) {
    throw failure("ConfigError", "event streams need a client with url and token, not a requester");
  }
  if (endpoint instanceof Error) throw endpoint;
  return endpoint;
}

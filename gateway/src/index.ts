/**
 * HTTP in front of any Redis, started from a program.
 *
 * @module warmline-gateway
 */
import { type Gateway, startGateway } from "./create.js";
import type { GatewayOptions } from "./settings/options.js";

export type { Role } from "./access/roles.js";
export type { TokenLimits } from "./access/token-limits.js";
export type { TokenOptions } from "./access/tokens.js";
export type { Gateway } from "./create.js";
export type { Engine } from "./engine/engine.js";
export type { GatewayOptions } from "./settings/options.js";
export type { CommandListener, TracedCommand } from "./trace/traced-command.js";

/**
 * Starts a gateway and resolves once it listens and a first connection to Redis was tried, for 1 s at most. Redis need not be
 * up: `Gateway.problem` has the reason, and commands fail as not sent. A Redis that was reached before is waited for, up to
 * `commandTimeout`.
 * @throws {TypeError} when an option is wrong; the message names it and the fix
 * @throws {Error} when the engine can't be started, or when it can't listen; `code` is the system's, such as EADDRINUSE
 */
export function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return startGateway(options);
}

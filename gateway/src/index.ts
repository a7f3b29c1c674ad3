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
 * Starts a gateway and resolves once it listens. Redis need not be up. Until it is, commands wait for their timeout and
 * then fail as not sent.
 * @throws {TypeError} when an option is wrong; the message names it and the fix
 * @throws {Error} when the engine can't be started, or when it can't listen; `code` is the system's, such as EADDRINUSE
 */
export function createGateway(options: GatewayOptions = {}): Promise<Gateway> {
  return startGateway(options);
}

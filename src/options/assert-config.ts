import { ConfigError } from "../errors.js";

/** @throws ConfigError with the message, unless the condition holds. */
export function assertConfig(holds: boolean, message: string): void {
  if (!holds) throw new ConfigError(message);
}

import type { Assert } from "../options/check-call.js";
import type { CommandExecutor } from "./executor.js";

/**
 * Key of a method that returns the client's executor. It is a method, so that an inspected client does not show its token. The
 * symbol is registered, because another entry of the package may contain a copy of this file.
 */
export const EXECUTOR = Symbol.for("warmline.executor");

/** Returns the executor of a client, or undefined for any other object, such as `this` of a detached method. */
export function executorOf(client: object): CommandExecutor {
  return (client as { [EXECUTOR]?: () => CommandExecutor })[EXECUTOR]?.() as CommandExecutor;
}

/** Checks that the first argument of a function is a client. */
export function checkClient(assert: Assert, client: unknown): void {
  const isClient = executorOf(Object(client)) !== undefined;
  assert(isClient, "the first argument must be a client, such as new Redis()");
}

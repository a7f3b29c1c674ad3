import type { Assert } from "../options/check-call.js";
import type { CommandExecutor } from "./executor.js";

/**
 * The key of a function that returns the client's executor: an inspected client does not show its token. It is registered, since
 * entries may be loaded from other files than the client.
 */
export const EXECUTOR = Symbol.for("warmline.executor");

/** The executor of a client; undefined where the object is none, as in a method that was taken out. */
export function executorOf(client: object): CommandExecutor {
  return (client as { [EXECUTOR]?: () => CommandExecutor })[EXECUTOR]?.() as CommandExecutor;
}

/** Checks that the first argument of a function is a client. */
export function checkClient(assert: Assert, given: unknown): void {
  const isClient = executorOf(Object(given)) !== undefined;
  assert(isClient, "the first argument must be a client, such as new Redis()");
}

import { createTimeoutError } from "../transport/timeout-error.js";
import { within } from "../util/timers.js";
import type { ConfiguredClient } from "./client-context.js";

/**
 * Does what the platform has to do before a command, in the asynchronous context of the caller.
 * @param label the command's name in error messages.
 * @returns a promise if the command has to wait for it. Rejects with TimeoutError after the timeout.
 */
export function beforeCall(
  { context, settings: { timeout } }: ConfiguredClient,
  label: string,
): Promise<unknown> | undefined {
  const waitFor = context.beforeCall?.();
  return waitFor && within(timeout, waitFor, () => createTimeoutError(label, timeout, false));
}

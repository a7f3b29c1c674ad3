import { TimeoutError } from "../errors.js";

/**
 * The error of a command whose time is up.
 * @param ms that time.
 * @param written whether the command was written, and so may have been applied.
 * @param write whether the command may change data.
 * @param cause the failure of the last attempt, if there was one.
 */
export function createTimeoutError(
  command: string,
  ms: number,
  written: boolean,
  write = true,
  cause?: unknown,
): TimeoutError {
  const sent = write ? "; the command was sent and may have been applied" : "";
  const last = cause ? `; last error: ${(cause as Error).message}` : "";
  const state = written ? sent : "; the command was not sent";
  return new TimeoutError(`${command}: no response within ${Math.round(ms)} ms${state}${last}`, {
    outcome: written ? "unknown" : "unsent",
    command,
    cause,
  });
}

import { TimeoutError } from "../errors.js";

/**
 * The error of a command whose time is up.
 * @param ms that time.
 * @param written whether the command was written, and so may have been applied.
 */
export function createTimeoutError(command: string, ms: number, written: boolean): TimeoutError {
  const state = written ? "the command was sent and may have been applied" : "the command was not sent";
  return new TimeoutError(`${command}: no response within ${Math.round(ms)} ms; ${state}`, {
    outcome: written ? "unknown" : "unsent",
    command,
  });
}

import { type Outcome, RedisError, TimeoutError, UnknownOutcomeError, WarmlineError } from "../errors.js";

/** Redis's words for what it did not run at this moment, and so neither compared with what was run before. */
const NOT_RUN =
  /^(BUSY|CLUSTERDOWN|EXECABORT|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|WRONGPASS)$/;

/**
 * Returns the error of a command whose earlier attempt may have been applied. If this attempt was not sent, or not run,
 * the outcome of the earlier one stays unknown.
 */
export function afterUnknown(error: unknown, write: boolean): unknown {
  if (!(error instanceof WarmlineError)) return error;
  const notRun = write && error instanceof RedisError && NOT_RUN.test(error.code);
  if (error.outcome !== "unsent" && !notRun) return error;
  const Kind = error instanceof TimeoutError ? TimeoutError : UnknownOutcomeError;
  const { command, index, message } = error;
  return new Kind(`${command}: an earlier attempt may have been applied; the last one: ${message}`, {
    outcome: "unknown",
    command,
    index,
    cause: error,
  });
}

/** The error of a command whose time, in ms, is up. */
export function createTimeoutError(command: string, time: number, outcome: Outcome): TimeoutError {
  const state =
    outcome === "unsent" ? "the command was not sent" : "the command was sent and may have been applied";
  const message = `${command}: no response within ${Math.round(time)} ms; ${state}`;
  return new TimeoutError(message, { outcome, command });
}

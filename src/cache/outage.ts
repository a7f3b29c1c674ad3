import { ConnectionError, ProtocolError, RedisError, TimeoutError, UnknownOutcomeError } from "../errors.js";

/**
 * Error replies of a Redis that can't run commands for now, or accepts no writes. Redis before version 7 puts the position in a
 * script before the error of its command: `ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM ...`.
 */
const UNAVAILABLE =
  /^(ERR Error running script.*: -?)?(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|READONLY|OOM|MISCONF|NOREPLICAS)\b/;

/** Error replies for a limit of a warmline-gateway token or of an Upstash plan. Limits of sizes are excluded. */
const LIMITED = /^ERR (this token (may|has)|max (?!.*size)[\w ]+exceeded|DB capacity quota exceeded)\b/i;

/** Whether an error means that Redis can't be used for now. */
export function isOutage(error: unknown): boolean {
  if (error instanceof RedisError) return UNAVAILABLE.test(error.message) || LIMITED.test(error.message);
  return [ConnectionError, UnknownOutcomeError, TimeoutError, ProtocolError].some(
    (kind) => error instanceof kind,
  );
}

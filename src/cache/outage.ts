import { ConnectionError, ProtocolError, RedisError, TimeoutError, UnknownOutcomeError } from "../errors.js";

/**
 * Error replies of a Redis that can't run commands for now, or accepts no writes. Redis before version 7 puts the place before the
 * error of a command in a script: `ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM ...`.
 */
const UNAVAILABLE =
  /^(ERR Error running script.*: -?)?(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|READONLY|OOM|MISCONF|NOREPLICAS)\b/;

/** Error replies to a request above a limit of a token of warmline-gateway or a plan of Upstash, except limits of sizes. */
const LIMITED = /^ERR (this token (may|has)|max (?!.*size)[\w ]+exceeded|DB capacity quota exceeded)\b/i;

/** Whether an error means that Redis can't be used for now. */
export function isOutage(error: unknown): boolean {
  if (error instanceof RedisError) return UNAVAILABLE.test(error.message) || LIMITED.test(error.message);
  return [ConnectionError, UnknownOutcomeError, TimeoutError, ProtocolError].some(
    (kind) => error instanceof kind,
  );
}

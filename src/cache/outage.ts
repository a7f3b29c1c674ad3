import { ConnectionError, ProtocolError, RedisError, TimeoutError, UnknownOutcomeError } from "../errors.js";

/**
 * Error replies of a Redis that can't run commands for now, or takes no writes. Redis before version 7 repeats that of a
 * command in a script after the place: `ERR Error running script (call to f_1): @user_script:1: @user_script: 1: -OOM ...`.
 */
const UNAVAILABLE =
  /^(ERR Error running script.*: -?)?(LOADING|MASTERDOWN|CLUSTERDOWN|TRYAGAIN|BUSY|READONLY|OOM|MISCONF|NOREPLICAS)\b/;

/** Error replies to a request above a limit: of a token of warmline-gateway, or of a plan of Upstash. Sizes are no such limit. */
const LIMITED = /^ERR (this token (may|has)|max (?!.*size)[\w ]+exceeded|DB capacity quota exceeded)\b/i;

/** Whether an error means that Redis can't be used for now. */
export function isOutage(error: unknown): boolean {
  if (error instanceof RedisError) return UNAVAILABLE.test(error.message) || LIMITED.test(error.message);
  return [ConnectionError, UnknownOutcomeError, TimeoutError, ProtocolError].some(
    (kind) => error instanceof kind,
  );
}

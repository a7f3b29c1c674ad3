import { ConnectionError, ProtocolError, RedisError, TimeoutError, UnknownOutcomeError } from "../errors.js";

/** Error replies of a Redis that can't run commands for now, or has no memory left. */
const UNAVAILABLE = new Set(["LOADING", "MASTERDOWN", "CLUSTERDOWN", "TRYAGAIN", "BUSY", "READONLY", "OOM"]);

/** Whether an error means that Redis can't be used for now. */
export function isOutage(error: unknown): boolean {
  if (error instanceof RedisError) return UNAVAILABLE.has(error.code);
  return [ConnectionError, UnknownOutcomeError, TimeoutError, ProtocolError].some(
    (kind) => error instanceof kind,
  );
}

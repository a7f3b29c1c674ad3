/**
 * A function that runs once per key.
 *
 * @module warmline/idempotent
 */

export { InProgressError } from "./idempotent/in-progress-error.js";
export { type IdempotentOptions, idempotent } from "./idempotent/run-once.js";

import { type ErrorDetails, errors, type WarmlineError } from "../../errors.js";

/** Makes an error by its class's name: lazy features import none. */
export type ErrorFactory = (
  kind: keyof typeof errors,
  message: string,
  details?: ErrorDetails,
) => WarmlineError;

/** @param label what the errors call that which failed. */
export const errorFactory =
  (label: string): ErrorFactory =>
  (kind, message, details) =>
    // The text of an error reply is Redis's own.
    new errors[kind](kind === "RedisError" ? message : `${label}: ${message}`, {
      command: label,
      ...details,
    });

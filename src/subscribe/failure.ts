import { ConnectionError, ProtocolError, RedisError, TimeoutError, type WarmlineError } from "../errors.js";

const KINDS = { ConnectionError, ProtocolError, TimeoutError };

/** Makes an error of a stream. What reads streams imports no errors, so that an entry can load it apart. */
export type Failure = (
  kind: keyof typeof KINDS | "RedisError",
  message: string,
  cause?: unknown,
) => WarmlineError;

/** @param command what the errors call the stream. */
export const failureOf =
  (command: string): Failure =>
  (kind, message, cause) =>
    kind === "RedisError"
      ? new RedisError(message, { command })
      : new KINDS[kind](`${command}: ${message}`, { command, cause });

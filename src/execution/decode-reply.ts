import {
  ConnectionError,
  ProtocolError,
  RedisError,
  TimeoutError,
  UnknownOutcomeError,
  WarmlineError,
} from "../errors.js";
import { MalformedReply } from "../protocol/malformed.js";
import { ErrorReply, type RawReply } from "../protocol/reply.js";
import { readChecked } from "./check-schema.js";
import type { Command } from "./command.js";

/**
 * Returns a command's value from its reply.
 * @param possiblyApplied whether an earlier attempt may have been applied.
 * @param place its place in a batch.
 * @throws the error that an error reply stands for; MalformedReply when the reply is not one of the command.
 */
export function decodeReply(
  command: Command,
  reply: RawReply,
  possiblyApplied: boolean,
  place?: number,
): unknown {
  const { spec, write, inContext, index = place } = command;
  if (reply instanceof ErrorReply) {
    const error = errorFrom(reply.message, spec.name, index);
    throw possiblyApplied ? afterUnknown(error, write) : error;
  }
  return inContext ? inContext(() => readValue(command, reply, index)) : readValue(command, reply, index);
}

function readValue(
  { spec, args, codec, schema }: Command,
  reply: RawReply,
  index: number | undefined,
): unknown {
  return schema
    ? readChecked(spec, args, schema, reply, codec.decode, index)
    : spec.reply(reply, codec.decode, args);
}

/**
 * Returns the error that the text of an error reply stands for. In a batch our gateway says of each command whether it may have
 * been applied, by the error's first word.
 */
export function errorFrom(message: string, command: string, index?: number): WarmlineError {
  const details = { command, index };
  const [, code, reason] = /^(UNKNOWNOUTCOME|UNSENT) (.*)/s.exec(message) ?? [];
  if (code === "UNSENT") return new ConnectionError(`${command}: not sent: ${reason}`, details);
  return code
    ? new UnknownOutcomeError(`${command}: ${reason}`, { outcome: "unknown", ...details })
    : new RedisError(message, details);
}

/** Converts a malformed response into a ProtocolError. Returns any other error unchanged. */
export function toProtocolError(error: unknown, command: string, index?: number): unknown {
  if (!(error instanceof MalformedReply)) return error;
  const details = { outcome: "unknown", command, index, cause: error } as const;
  return new ProtocolError(`${command}: ${error.message}`, details);
}

/** Redis's words for what it did not run at this moment, and so neither compared with what was run before. */
const NOT_RUN =
  /^(BUSY|CLUSTERDOWN|EXECABORT|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|WRONGPASS)$/;

/**
 * Returns the error of a command whose earlier attempt may have been applied. If this attempt of a write was not sent, or
 * not run, the outcome of the earlier one stays unknown.
 */
export function afterUnknown(error: unknown, write: boolean): unknown {
  if (!write || !(error instanceof WarmlineError)) return error;
  const notRun = error instanceof RedisError && NOT_RUN.test(error.code);
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

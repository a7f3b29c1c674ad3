import {
  ConnectionError,
  type Outcome,
  ProtocolError,
  RedisError,
  TimeoutError,
  UnknownOutcomeError,
  WarmlineError,
} from "../errors.js";
import type { HttpResponse } from "../protocol/http.js";
import { MalformedReply } from "../protocol/malformed.js";
import { ErrorReply } from "../protocol/reply.js";
import { Resp2Refused } from "../protocol/rest-protocol.js";
import type { FinalFailure, Unreachable } from "../transport/transport.js";

/** The facts about a command, or about all commands of a request, that its error depends on. */
export interface SentCommand {
  /** Its name in error messages. */
  readonly name: string;
  /** Whether it may change data. */
  readonly write: boolean;
  /** Whether it may be sent again after it may have been applied. */
  readonly repeatable: boolean;
  /** Whether an attempt may have applied it. */
  readonly possiblyApplied: boolean;
}

/** A command that a delivery settles. */
export interface Deliverable extends SentCommand {
  possiblyApplied: boolean;
  /** A settled command is left out of a request that was not written yet. */
  readonly settled: boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** The command has a value. */
export interface Value {
  readonly kind: "value";
  readonly value: unknown;
}

/** The command has no value. */
export interface Failure {
  /**
   * - `unsent`: this attempt did not apply it.
   * - `unknown`: this attempt may have applied it.
   * - `error`: it must not be sent again. Redis replied with an error, or the call is over.
   */
  readonly kind: "unsent" | "unknown" | "error";
  /** Returns the error of the command if it is not sent again. */
  errorFor(command: SentCommand): unknown;
}

/** The result of one attempt for one command. */
export type Verdict = Value | Failure;

/** The failure of a request as a whole: the verdict for each of its commands. */
export interface RequestFailure extends Failure {
  /** The outcome in retry events. */
  readonly outcome?: Outcome;
  /** The error of the attempt. */
  readonly cause?: Error;
  /** The wait before the next attempt that the endpoint requested, in ms. */
  readonly retryAfter?: number | undefined;
  /** Whether another attempt would fail in the same way. */
  readonly final?: boolean;
  /** Whether no response arrived. */
  readonly silent?: boolean;
  /** Whether the endpoint did not read the request, since its body is RESP2. */
  readonly resp2Refused?: boolean;
}

/** @param started whether the request may have been written. */
export function judgeFailure(cause: Error, started: boolean): RequestFailure {
  if ((cause as Partial<FinalFailure>).final)
    return { ...lost("unknown", cause, ProtocolError), final: true };
  if ("retryAt" in cause) return { ...lost("unsent", cause), final: true };
  return { ...lost(started ? "unknown" : "unsent", cause), silent: true };
}

/**
 * Returns a verdict for each command, or the failure of all of them.
 * @param read returns the verdicts from a response of the endpoint. Throws MalformedReply if the response is none,
 * ErrorReply if the endpoint refused the request, Resp2Refused, and any other error if it must not be sent again.
 */
export function judgeResponse(
  response: HttpResponse,
  read: (response: HttpResponse) => readonly Verdict[],
): readonly Verdict[] | RequestFailure {
  const { status } = response;
  if (status === 429 || isUnsent(response)) return refusal(response, read);
  // A proxy may respond with such a status after the endpoint has applied the request.
  if (status >= 500) return lost("unknown", statusError(response));
  try {
    return read(response);
  } catch (error) {
    if (error instanceof MalformedReply) return lost("unknown", error, ProtocolError);
    if (error instanceof Resp2Refused) return { ...failed(error), resp2Refused: true };
    return refused(error);
  }
}

/**
 * Returns the verdict for commands whose request a requester or middleware rejected. The client that it used has sent the
 * request again as often as it may.
 * @param label the name of the request in the error.
 * @param repeatable whether all of the commands may be sent again.
 */
export function judgeRejection(error: unknown, label: string, repeatable: boolean): RequestFailure {
  const isLost =
    error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
  return {
    kind: isLost && !repeatable ? "unknown" : "error",
    errorFor(command) {
      const { name } = command;
      const own = error instanceof WarmlineError && error.command === label ? error.forCommand(name) : error;
      return refused(name === label ? error : own).errorFor(command);
    },
  };
}

/** Returns the verdict for commands that must not be sent again. */
export function failed(error: unknown): Failure {
  return { kind: "error", errorFor: () => error };
}

/** Returns the verdict for commands whose request the endpoint refused, by the error that reading the response threw. */
function refused(error: unknown): Failure {
  return {
    kind: "error",
    errorFor: (command) => {
      const { name } = command;
      return afterUnknown(
        error instanceof ErrorReply ? errorFrom(error.message, name) : toProtocolError(error, name),
        command,
      );
    },
  };
}

/**
 * Returns the error that the text of an error reply stands for. The gateway reports by the error's first word whether a command
 * of a batch may have been applied.
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

/**
 * Returns the error of a command by its last attempt. If an earlier attempt may have been applied, and this one of a write was
 * not sent, or not run, the outcome stays unknown.
 */
export function afterUnknown(error: unknown, { write, possiblyApplied }: SentCommand): unknown {
  if (!write || !possiblyApplied || !(error instanceof WarmlineError)) return error;
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

/** Codes of the errors of commands that Redis did not run, so that it did not look for a stored reply either. */
const NOT_RUN =
  /^(BUSY|CLUSTERDOWN|EXECABORT|LOADING|MASTERDOWN|MISCONF|NOAUTH|NOPERM|NOREPLICAS|OOM|READONLY|TRYAGAIN|WRONGPASS)$/;

/** @param Kind the class of the error if the outcome is unknown. */
function lost(outcome: "unsent" | "unknown", cause: Error, Kind = UnknownOutcomeError): RequestFailure {
  return {
    kind: outcome,
    outcome,
    cause,
    errorFor({ name: command, write, repeatable, possiblyApplied }) {
      // A read changes nothing, so its earlier attempts don't count.
      const isUnknown = write ? possiblyApplied : outcome === "unknown";
      // An error reply ends in the command's name, which this message begins with.
      const reason = cause.message.replace(/ \(command: \S+\)$/, "");
      if (!isUnknown) {
        const { retryAt } = cause as Partial<Unreachable>;
        return new ConnectionError(`${command}: not sent: ${reason}`, { command, cause, retryAt });
      }
      const sent = repeatable
        ? "no complete response"
        : "the command was sent, but no complete response arrived, so it may have been applied";
      return new Kind(`${command}: ${sent}: ${reason}`, { outcome: "unknown", command, cause });
    },
  };
}

/** Whether warmline-gateway reports that it did not send the request to Redis. */
function isUnsent(response: HttpResponse): boolean {
  return response.status === 503 && response.header("warmline-outcome") === "unsent";
}

/** The endpoint, or a rate limiter in front of it, reports that the request was not applied. */
function refusal(response: HttpResponse, read: (response: HttpResponse) => unknown): RequestFailure {
  const cause = statusError(response);
  return {
    kind: "unsent",
    outcome: "answered",
    cause,
    retryAfter: retryAfter(response),
    errorFor(command) {
      let reply: Error | undefined;
      try {
        read(response);
      } catch (error) {
        if (error instanceof ErrorReply) reply = errorFrom(error.message, command.name);
        else if (!(error instanceof MalformedReply)) reply = error as Error;
      }
      // The reply says nothing about an earlier attempt that may have been applied.
      return reply && !isUnsent(response) && !command.possiblyApplied
        ? reply
        : lost("unsent", reply ?? cause).errorFor(command);
    },
  };
}

const statusError = ({ status }: HttpResponse) =>
  new Error(`the endpoint responded with status ${status}${status === 429 ? ", too many requests" : ""}`);

/** Returns the delay that the response requests, in ms. RFC 9110, section 10.2.3: seconds or a date. */
function retryAfter(response: HttpResponse): number | undefined {
  const value = response.header("retry-after");
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

import {
  ArgumentError,
  ConnectionError,
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
import type { Unreachable } from "../transport/transport.js";

/** The facts about a command, or about all commands of a request, on which its error depends. */
export interface Sent {
  readonly command: {
    /** Its name in error messages. */
    readonly name: string;
    /** Whether it may change data. */
    readonly write: boolean;
    /** Whether it may be sent again after it may have been applied. */
    readonly repeatable: boolean;
    /** The time in ms for which it may block at the server. */
    readonly wait?: number | undefined;
  };
  /** Whether an attempt may have applied it. */
  readonly possiblyApplied: boolean;
}

/** The result of one attempt for one command. */
export type Verdict = { readonly kind: "value"; readonly value: unknown } | Failure;

/** A verdict without a value. */
export interface Failure {
  /**
   * - `unsent`: this attempt did not apply the command.
   * - `unknown`: this attempt may have applied it.
   * - `error`: it must not be sent again. Redis replied with an error, or the call is over.
   */
  readonly kind: "unsent" | "unknown" | "error";
  /** Returns the error of the command if it is not sent again. */
  errorFor(sent: Sent): unknown;
}

/** The failure of a request as a whole: the verdict for each of its commands. */
export interface RequestFailure extends Failure {
  /** The error of the attempt. */
  readonly cause?: Error;
  /** The wait before the next attempt that the endpoint requested, in ms. */
  readonly retryAfter?: number | undefined;
  /** Whether another attempt would fail in the same way. */
  readonly final?: boolean;
  /** Whether no response arrived. */
  readonly silent?: boolean;
  /** Whether the endpoint does not accept RESP2, and so did not read the request. */
  readonly resp2Refused?: boolean;
}

/** Returns the failure of an attempt without a response. @param started whether the request may have been written. */
export function judgeFailure(cause: Error, started: boolean): RequestFailure {
  // Next.js throws an error with this field to end the rendering of a page.
  if ("digest" in cause) return failed(cause);
  if ("final" in cause) return { ...lost("unknown", cause, ProtocolError), final: true };
  if ("retryAt" in cause) return { ...lost("unsent", cause), final: true };
  return { ...lost(started ? "unknown" : "unsent", cause), silent: true };
}

/** Returns the failure of a request whose number was refused, if a copy may have been applied. */
export function judgeRefusal(response: HttpResponse): RequestFailure {
  const cause = new Error("the gateway can't tell whether it was applied");
  return { ...lost("unknown", cause), retryAfter: retryAfter(response) };
}

/**
 * Returns the failure of a request that was sent by a requester or through middleware, which threw `error`. A client inside it has
 * already sent the request again.
 */
export function judgeRejection(error: unknown, repeatable: boolean): RequestFailure {
  const isLost =
    error instanceof WarmlineError && error.outcome === "unknown" && error.name !== "TimeoutError";
  return { ...refused(error), kind: isLost && !repeatable ? "unknown" : "error" };
}

/**
 * Returns a verdict for each command from the response to their request, or the failure of all of them.
 * @param read returns the verdicts. Throws MalformedReply if the response is not one of the endpoint, Resp2Refused, and
 * ErrorReply or any other error if the endpoint refused the request.
 */
export function judgeResponse(
  response: HttpResponse,
  read: (response: HttpResponse) => readonly Verdict[],
): readonly Verdict[] | RequestFailure {
  const { status } = response;
  const isUnsent = status === 503 && response.header("warmline-outcome") === "unsent";
  // A proxy may send such a status after the endpoint has applied the request.
  if (status >= 500 && !isUnsent) return lost("unknown", statusError(response));
  const isRefusal = isUnsent || status === 429;
  let thrown: unknown;
  try {
    const verdicts = read(response);
    if (!isRefusal) return verdicts;
  } catch (error) {
    thrown = error;
  }
  const isMalformed = thrown instanceof MalformedReply;
  if (!isRefusal) return isMalformed ? lost("unknown", thrown as Error, ProtocolError) : refused(thrown);
  const refusal = { ...lost("unsent", statusError(response)), retryAfter: retryAfter(response) };
  if (isMalformed || !thrown) return refusal;
  const errorFor = (sent: Sent) => {
    const error = errorOf(thrown, sent);
    // The reply says nothing about an earlier attempt that may have been applied.
    return isUnsent || sent.possiblyApplied ? lost("unsent", error as Error).errorFor(sent) : error;
  };
  return { ...refusal, errorFor };
}

/** Returns the verdict for commands that must not be sent again. */
export function failed(error: unknown): Failure {
  return { kind: "error", errorFor: () => error };
}

/** Returns the verdict for commands from the error that was thrown instead of their replies. */
export function refused(thrown: unknown): RequestFailure {
  const resp2Refused = thrown instanceof Resp2Refused;
  return { kind: "error", errorFor: (sent) => errorOf(thrown, sent), resp2Refused };
}

const MAY_BE_APPLIED = "; the command was sent and may have been applied";

/** @param Kind the class of the error if the outcome is unknown. */
function lost(kind: "unsent" | "unknown", cause: Error, Kind = UnknownOutcomeError): RequestFailure {
  const errorFor = ({ command: { name: command, write, repeatable }, possiblyApplied }: Sent) => {
    // The message begins with the command's name, so the end of an error reply need not repeat it.
    const reason = cause.message.replace(/ \(command: \S+\)$/, "");
    // A read changes nothing, so its earlier attempts don't count.
    if (write ? possiblyApplied : kind === "unknown") {
      const message = `${command}: no complete response${repeatable ? "" : MAY_BE_APPLIED}: ${reason}`;
      return new Kind(message, { outcome: "unknown", command, cause });
    }
    const { retryAt } = cause as Partial<Unreachable>;
    return new ConnectionError(`${command}: not sent: ${reason}`, { command, cause, retryAt });
  };
  return { kind, cause, errorFor };
}

/** Returns the error of an error reply. Its first word may say that the gateway did not apply the command. */
export function createReplyError(message: string, command: string, index?: number): WarmlineError {
  const details = { command, index };
  const [, code, reason] = /^(UNKNOWNOUTCOME|UNSENT) (.*)/s.exec(message) ?? [];
  if (code === "UNSENT") return new ConnectionError(`${command}: not sent: ${reason}`, details);
  return code
    ? new UnknownOutcomeError(`${command}: ${reason}`, { outcome: "unknown", ...details })
    : new RedisError(message, details);
}

/**
 * Returns the error of a command from an error of its request: an ErrorReply and a MalformedReply become errors of the command.
 * If an earlier attempt of a write may have been applied, and this one was not sent or not run, the outcome stays unknown.
 */
export function errorOf(thrown: unknown, { command, possiblyApplied }: Sent, index?: number): unknown {
  const { name, write } = command;
  let error = thrown;
  if (error instanceof ErrorReply) error = createReplyError(error.message, name, index);
  else if (error instanceof Resp2Refused) error = new ArgumentError(`${name}: ${error.message}`);
  else if (error instanceof MalformedReply) {
    error = new ProtocolError(`${name}: ${error.message}`, {
      outcome: "unknown",
      command: name,
      index,
      cause: error,
    });
  }
  if (!(error instanceof WarmlineError)) return error;
  const last = error.command === "PIPELINE" ? error.forCommand(name) : error;
  const notRun = last instanceof RedisError && NOT_RUN.test(last.code);
  if (!write || !possiblyApplied || (last.outcome !== "unsent" && !notRun)) return last;
  const Kind = last instanceof TimeoutError ? TimeoutError : UnknownOutcomeError;
  const message = `${name}: an earlier attempt may have been applied; the last one: ${last.message}`;
  return new Kind(message, { outcome: "unknown", command: name, index: last.index, cause: last });
}

/** Error codes by which Redis did not run a command, and so did not look for a stored reply either. */
const NOT_RUN =
  /^(BUSY|CLUSTERDOWN|EXECABORT|LOADING|MASTERDOWN|MISCONF|NO(AUTH|PERM|REPLICAS)|OOM|READONLY|TRYAGAIN|WRONGPASS)$/;

/**
 * Returns the error of a command whose time, `ms`, is up.
 * @param written whether the command was written, and so may have been applied.
 * @param cause the error of the last attempt, if there was one.
 */
export function createTimeoutError(
  command: string,
  ms: number,
  written: boolean,
  write = true,
  cause?: unknown,
): TimeoutError {
  let message = `${command}: no response within ${Math.round(ms)} ms`;
  if (!written) message += "; the command was not sent";
  else if (write) message += MAY_BE_APPLIED;
  if (cause) message += `; last error: ${(cause as Error).message}`;
  return new TimeoutError(message, { outcome: written ? "unknown" : "unsent", command, cause });
}

const statusError = ({ status }: HttpResponse) =>
  new Error(`the endpoint responded with status ${status}${status === 429 ? ", too many requests" : ""}`);

/** Returns the delay that the response requests, in ms. RFC 9110, section 10.2.3: seconds or a date. */
function retryAfter(response: HttpResponse): number | undefined {
  const value = response.header("retry-after") ?? "";
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

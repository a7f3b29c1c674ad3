import { isWrite } from "../commands/write.js";
import { RedisError, WarmlineError } from "../errors.js";
import type { Limits } from "../execution/limits.js";
import { traced } from "../execution/trace.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import { MalformedReply } from "../protocol/malformed.js";
import { beginCall, type SentCall } from "../transport/request-call.js";
import { RetryBudget } from "../transport/retry-budget.js";
import { sleep } from "../util/timers.js";
import type { RespCommand } from "./command-reader.js";
import { type ConnectorContext, headersOf } from "./options.js";
import { checkReply, errorReply, errorText, splitReplies } from "./resp-reply.js";

/** A command, and the time that is left for it. */
export interface LimitedCommand extends RespCommand {
  readonly limits: Limits;
  /** The time in ms for which a blocking command may block at the server. Undefined for other commands. */
  readonly wait: number | undefined;
  /** Ends its trace, if it has one: with its reply, or with the error by which it was lost. */
  readonly endTrace: ((end: Buffer | Error) => void) | undefined;
}

/** The endpoint refused a request as a whole. The message is the error reply. */
export class RequestRefused extends Error {
  constructor(
    readonly status: number,
    text: string,
  ) {
    super(text);
  }
}

interface OpenCommand {
  readonly command: LimitedCommand;
  /** The position of its reply. */
  readonly index: number;
  readonly write: boolean;
}

/** Sends commands as HTTP requests, one request at a time, and returns the replies as Redis wrote them. */
export class CommandSender {
  readonly #context: ConnectorContext;
  readonly #signal: AbortSignal;
  #call: SentCall | undefined;
  /** Whether an earlier request of the same pipeline may have been applied. */
  #sentBefore = false;

  /** @param signal ends the request that is under way. */
  constructor(context: ConnectorContext, signal: AbortSignal) {
    this.#context = context;
    this.#signal = signal;
  }

  /** Whether what is under way was written and may have been applied. */
  get written(): boolean {
    return this.#sentBefore || (this.#call?.written ?? false);
  }

  /**
   * Sends commands as one pipeline in which each has an outcome of its own. Commands that the gateway did not forward are
   * sent again, and so are reads whose outcome is unknown. A write whose outcome is unknown is never sent again.
   * @returns the reply to each command. A lost reply is an error reply that begins with `UNKNOWNOUTCOME` or `UNSENT`.
   * @throws the signal's reason.
   */
  async pipeline(commands: readonly LimitedCommand[]): Promise<Buffer[]> {
    const replies: Buffer[] = new Array(commands.length);
    let open: readonly OpenCommand[] = commands.map((command, index) => ({
      command,
      index,
      write: isWrite(command.argv),
    }));
    // The time that is left for all of them. The last one may wait at the server.
    const time = commands[0]!.limits.left(commands.at(-1)!.wait);
    const budget = new RetryBudget(this.#context.settings, time);
    this.#sentBefore = false;
    for (;;) {
      let again: readonly OpenCommand[];
      let wait: number | undefined;
      const retry = budget.retried + 1;
      try {
        const received = await this.#sendPipeline(open, budget.timeLeft);
        for (const [i, { index }] of open.entries()) replies[index] = received[i]!;
        again = open.filter(({ write }, i) => mayRepeat(received[i]!, write));
        if (again.length > 0) wait = budget.next();
      } catch (error) {
        this.#signal.throwIfAborted();
        for (const { command, index } of open) replies[index] = errorReplyOf(error, command.name);
        // A request of reads alone has been sent again as often as it may be.
        const isUnknown = error instanceof WarmlineError && error.outcome === "unknown";
        again = isUnknown ? open.filter(({ write }) => !write) : [];
        if (again.length > 0 && again.length < open.length && budget.timeLeft > 0) wait = 0;
      }
      this.#sentBefore = wait !== undefined;
      if (wait === undefined) return replies;
      this.#context.transport.onRetry({
        command: labelOf(again),
        outcome: again.some(({ index }) => isUnknownReply(replies[index]!)) ? "unknown" : "unsent",
        retry,
        waitMs: wait,
      });
      await sleep(wait, this.#signal);
      this.#signal.throwIfAborted();
      open = again;
    }
  }

  #sendPipeline(open: readonly OpenCommand[], time: number): Promise<Buffer[]> {
    const repeatable = open.every(({ write }) => !write);
    const commands = open.map(({ command }) => command);
    const read = (response: HttpResponse) => splitReplies(readBody(response), open.length);
    const batchSize = open.length > 1 ? open.length : undefined;
    return this.#send(this.#encode("pipeline", commands), labelOf(open), repeatable, time, read, batchSize);
  }

  /**
   * Runs commands as a transaction.
   * @returns the reply to EXEC. A lost reply is an error reply that begins with `UNKNOWNOUTCOME` or `UNSENT`.
   * @throws the signal's reason.
   */
  async transaction(commands: readonly RespCommand[], limits: Limits): Promise<Buffer> {
    const repeatable = commands.every(({ argv }) => !isWrite(argv));
    try {
      const request = this.#encode("multi-exec", commands);
      const read = (response: HttpResponse) => {
        const body = readBody(response);
        checkReply(body);
        return body;
      };
      return await this.#send(request, "MULTI", repeatable, limits.left(), read, commands.length);
    } catch (error) {
      this.#signal.throwIfAborted();
      return errorReplyOf(error, "MULTI");
    }
  }

  /**
   * Changes the channels of an event stream. Doing so twice changes nothing more.
   * @throws RequestRefused, with status 404 if the endpoint has no stream of this id; WarmlineError; the signal's reason.
   */
  async changeStream(id: string, body: string, label: string, limits: Limits): Promise<void> {
    const { endpoint } = this.#context;
    const request = { path: `${endpoint.path}/events/${id}`, headers: headersOf(endpoint, "json"), body };
    await this.#send(request, label, true, limits.left(), (response) => void readBody(response));
  }

  #encode(route: string, commands: readonly RespCommand[]): HttpRequest {
    const { endpoint, headers } = this.#context;
    return {
      path: `${endpoint.path}/${route}`,
      headers,
      body: Buffer.concat(commands.map(({ raw }) => raw)),
    };
  }

  #send<T>(
    request: HttpRequest,
    label: string,
    repeatable: boolean,
    timeout: number,
    read: (response: HttpResponse) => T,
    batchSize?: number,
  ): Promise<T> {
    const { transport, settings } = this.#context;
    const budget = new RetryBudget(settings, timeout);
    const rules = { label, write: !repeatable, repeatable, repeated: false, signal: this.#signal, budget };
    const run = () =>
      new Promise<T>((resolve, reject) => {
        this.#call = beginCall(transport, { request, ...rules, read, resolve, reject });
      });
    return traced(this.#context, "request", run, { command: label, ...(batchSize && { batchSize }) });
  }
}

/**
 * Returns the body of a response that is one of the gateway's results.
 * @throws RequestRefused for an error; MalformedReply if the response is not one of warmline-gateway.
 */
function readBody(response: HttpResponse): Buffer {
  const { status } = response;
  const body = response.body as Buffer;
  if (response.header("warmline-gateway") === undefined) {
    throw new MalformedReply(
      `status ${status} of an endpoint that is not warmline-gateway: this connector needs one in front of the Redis`,
    );
  }
  if (status >= 200 && status < 300) return body;
  const text = errorText(body) ?? jsonError(body) ?? `ERR the endpoint responded with status ${status}`;
  throw new RequestRefused(status, text);
}

function jsonError(body: Buffer): string | undefined {
  try {
    return JSON.parse(body.toString()).error;
  } catch {
    return undefined;
  }
}

/** Returns the error reply of a command: the endpoint's own, or one that begins with the command's outcome. */
export function errorReplyOf(error: unknown, name: string): Buffer {
  if (error instanceof RequestRefused) return errorReply(error.message);
  if (error instanceof RedisError) return errorReply(error.message.replace(/ \(command: \S+\)$/, ""));
  if (!(error instanceof WarmlineError)) return errorReply(`ERR ${String(error)}`);
  const { message, outcome } = error.forCommand(name);
  return errorReply(`${outcome === "unsent" ? "UNSENT" : "UNKNOWNOUTCOME"} ${message}`);
}

/** Whether the outcome that the gateway reports in a reply allows the command to be sent again. */
function mayRepeat(reply: Buffer, write: boolean): boolean {
  return reply.toString("latin1", 0, 8) === "-UNSENT " || (!write && isUnknownReply(reply));
}

const isUnknownReply = (reply: Buffer) => reply.toString("latin1", 0, 16) === "-UNKNOWNOUTCOME ";

const labelOf = ([first, ...more]: readonly OpenCommand[]) =>
  more.length > 0 ? "PIPELINE" : first!.command.name;

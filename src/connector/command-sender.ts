import { isWrite } from "../commands/registry.js";
import { RedisError, WarmlineError } from "../errors.js";
import { Pending, type Receiver } from "../execution/command.js";
import { type Delivery, deliver, deliverRequest } from "../execution/delivery.js";
import type { Limits } from "../execution/limits.js";
import type { Verdict } from "../execution/verdict.js";
import { errorIn } from "../features/subscribe/event-stream.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import { MalformedReply } from "../protocol/malformed.js";
import { readResp2 } from "../protocol/resp2.js";
import type { EncodedRequest } from "../protocol/rest-protocol.js";
import type { RespCommand } from "./command-reader.js";
import { type ConnectorContext, createHeaders } from "./options.js";
import { errorReply, errorText, splitReplies } from "./resp-reply.js";

/** A command and its time limit. */
export interface LimitedCommand extends RespCommand {
  readonly limits: Limits;
  /** The time in ms for which a blocking command may block at the server. Undefined for other commands. */
  readonly wait: number | undefined;
  /** Ends the command's trace, if it has one, with the reply, or with the error if there is no reply. */
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

/** A command with the facts that its delivery depends on. */
interface SentCommand extends RespCommand {
  readonly write: boolean;
  readonly repeatable: boolean;
}

/** Sends commands as HTTP requests, one request at a time, and returns the replies as Redis wrote them. */
export class CommandSender {
  /** The commands of the current pipeline. */
  #commands: readonly Pending<SentCommand>[] = [];
  #delivery: Delivery | undefined;

  /** @param signal cancels the current request. */
  constructor(
    private readonly context: ConnectorContext,
    private readonly signal: AbortSignal,
  ) {}

  /** Whether a command of the current request may have been applied. */
  get written(): boolean {
    const { written = false } = this.#delivery ?? {};
    return written || this.#commands.some(({ settled, possiblyApplied }) => settled || possiblyApplied);
  }

  /**
   * Sends commands as one pipeline in which each has its outcome. Commands that the gateway did not forward are sent again, and so
   * are commands with an unknown outcome, if they are reads or writes that the gateway recognises.
   * @returns the reply to each command. A lost reply is an error reply that begins with `UNKNOWNOUTCOME` or `UNSENT`.
   * @throws the signal's reason.
   */
  async pipeline(commands: readonly LimitedCommand[]): Promise<Buffer[]> {
    const { settings, numbers } = this.context;
    const [first] = commands as [LimitedCommand];
    const isBatch = commands.length > 1;
    const replies: Buffer[] = new Array(commands.length);
    const receiver: Receiver = {
      onValue: (reply, place) => {
        replies[place] = reply as Buffer;
      },
      // An error is an error reply of the gateway, or an Error of the client.
      onError: (error, place) => {
        replies[place] = Buffer.isBuffer(error) ? error : toErrorReply(error, commands[place]!.name);
      },
    };
    this.#commands = commands.map((command, place) => {
      const write = isWrite(command.argv);
      return new Pending({ ...command, write, repeatable: !write }, undefined, receiver, place);
    });
    await new Promise<void>((onEnd) => {
      this.#delivery = deliver(this.context, this.#commands, {
        label: isBatch ? "PIPELINE" : first.name,
        batchSize: isBatch ? commands.length : undefined,
        settings,
        numbers,
        // All commands share one time limit. WAIT and blocking commands wait at the server.
        time: first.limits.left(commands.reduce((sum, { wait = 0 }) => sum + wait, 0)),
        signal: this.signal,
        encode: (sent) => ({
          request: this.#encode(
            "pipeline",
            sent.map(({ command }) => command),
          ),
          read: (response) => splitReplies(this.#readBody(response), sent.length).map(toVerdict),
        }),
        onEnd: () => onEnd(),
      });
    });
    this.#commands = [];
    this.signal.throwIfAborted();
    return replies;
  }

  /**
   * Runs commands as a transaction. Returns the reply to EXEC: if it was lost, an error reply that begins with `UNKNOWNOUTCOME` or
   * `UNSENT`.
   * @throws the signal's reason.
   */
  async transaction(commands: readonly RespCommand[], limits: Limits): Promise<Buffer> {
    const repeatable = commands.every(({ argv }) => !isWrite(argv));
    const read = (response: HttpResponse) => {
      const body = this.#readBody(response);
      // Throws unless it is a complete reply.
      readResp2(body);
      return body;
    };
    try {
      const encoded = { request: this.#encode("multi-exec", commands), read };
      return await this.#send(encoded, "MULTI", repeatable, limits, commands.length);
    } catch (error) {
      this.signal.throwIfAborted();
      return toErrorReply(error, "MULTI");
    }
  }

  /**
   * Changes the channels of an event stream. Idempotent, so the request is sent again if its response is lost.
   * @throws RequestRefused, with status 404 if the endpoint has no stream of this id; WarmlineError; the signal's reason.
   */
  async changeStream(id: string, body: string, label: string, limits: Limits): Promise<void> {
    const { endpoint } = this.context;
    const request = {
      path: `${endpoint.path}/events/${encodeURIComponent(id)}`,
      headers: createHeaders(endpoint, "json"),
      body,
    };
    await this.#send({ request, read: (response) => this.#readBody(response) }, label, true, limits);
  }

  #encode(route: string, commands: readonly RespCommand[]): HttpRequest {
    const { endpoint, headers } = this.context;
    return {
      path: `${endpoint.path}/${route}`,
      headers,
      body: Buffer.concat(commands.map(({ raw }) => raw)),
    };
  }

  /**
   * Returns the body of a response that is one of the gateway's results.
   * @throws RequestRefused for an error; MalformedReply if the response is not one of warmline-gateway.
   */
  #readBody(response: HttpResponse): Buffer {
    const { status } = response;
    this.context.numbers.onTicket(response.header("warmline-instance"));
    const body = response.body as Buffer;
    if (response.header("warmline-gateway") === undefined) {
      throw new MalformedReply(
        `status ${status} of an endpoint that is not warmline-gateway: this connector needs one in front of the Redis`,
      );
    }
    if (status >= 200 && status < 300) return body;
    const text =
      errorText(body) ?? errorIn(body.toString()) ?? `ERR the endpoint responded with status ${status}`;
    throw new RequestRefused(status, text);
  }

  #send<T>(
    encoded: EncodedRequest<T>,
    label: string,
    repeatable: boolean,
    limits: Limits,
    batchSize?: number,
  ): Promise<T> {
    const { settings, numbers } = this.context;
    const facts = { label, write: !repeatable, repeatable, batchSize };
    const options = { ...facts, settings, numbers, time: limits.left(), signal: this.signal };
    return new Promise((resolve, reject) => {
      this.#delivery = deliverRequest(this.context, encoded, options, resolve, reject);
    });
  }
}

/** Returns the error reply of a command: the endpoint's own, or one that begins with the command's outcome. */
export function toErrorReply(error: unknown, name: string): Buffer {
  if (error instanceof RequestRefused) return errorReply(error.message);
  if (error instanceof RedisError) return errorReply(error.message.replace(/ \(command: \S+\)$/, ""));
  if (!(error instanceof WarmlineError)) return errorReply(`ERR ${String(error)}`);
  const { message, outcome } = error.forCommand(name);
  return errorReply(`${outcome === "unsent" ? "UNSENT" : "UNKNOWNOUTCOME"} ${message}`);
}

/** Returns the verdict on a command from the gateway's reply to it. */
function toVerdict(reply: Buffer): Verdict {
  const errorFor = () => reply;
  if (reply.toString("latin1", 0, 8) === "-UNSENT ") return { kind: "unsent", errorFor };
  if (reply.toString("latin1", 0, 16) === "-UNKNOWNOUTCOME ") return { kind: "unknown", errorFor };
  return { kind: "value", value: reply };
}

import { ArgumentError } from "../errors.js";
import type { Endpoint } from "../options/endpoint.js";
import type { HttpRequest, HttpResponse } from "../protocol/http.js";
import { readJson } from "../protocol/json.js";
import type { RawReply } from "../protocol/reply.js";
import type { EncodedRequest } from "../protocol/rest-protocol.js";
import { readReply } from "../protocol/status.js";
import { beginCall, type OutgoingRequest, type SentCall } from "../transport/request-call.js";
import { RetryBudget } from "../transport/retry-budget.js";
import { createTimeoutError } from "../transport/timeout-error.js";
import { within } from "../util/timers.js";
import type { ConfiguredClient } from "./client-context.js";
import { toProtocolError } from "./decode-reply.js";
import type { RequestHandler } from "./middleware.js";
import { traced } from "./trace.js";

/** The time and the signal of a request. */
export interface RequestLimits {
  /** The time for all of it, in ms. */
  readonly time: number;
  readonly signal?: AbortSignal | undefined;
  /** Whether it carries something that an earlier call may have written. */
  readonly repeated?: boolean;
}

/** Extra time in ms, so that the transport's own timeout, whose error is more precise, fires first. */
const GRACE = 20;

/** A request whose call is not known: it counts as written as soon as it is passed on. */
const SENT_BY_HANDLER: SentCall = { written: true };

/** A request in flight: what is sent, how its reply is decoded, and what becomes of it. */
export abstract class PendingRequest<T> implements OutgoingRequest<T> {
  readonly budget: RetryBudget;
  readonly signal: AbortSignal | undefined;
  readonly repeated: boolean;

  constructor(
    protected readonly client: ConfiguredClient,
    readonly label: string,
    { time, signal, repeated = false }: RequestLimits,
  ) {
    this.budget = new RetryBudget(client.settings, time);
    this.signal = signal;
    this.repeated = repeated;
  }

  onSettled: ((error?: unknown) => void) | undefined;

  abstract readonly write: boolean;
  abstract readonly repeatable: boolean;
  protected abstract readonly encoded: EncodedRequest;
  protected abstract decode(reply: RawReply, possiblyApplied: boolean): T;
  abstract resolve(value: T): void;
  abstract reject(reason: unknown): void;

  get request(): HttpRequest {
    return this.encoded.request;
  }

  read(response: HttpResponse, possiblyApplied: boolean): T {
    const { endpoint } = this.client.context;
    return this.decode(readReply(this.encoded, response, endpoint as Endpoint | undefined), possiblyApplied);
  }

  /** Sends it through the request handler if the client has one, else over the transport. */
  send(): SentCall | undefined {
    const { context } = this.client;
    const { endpoint, requestHandler, transport } = context;
    if (endpoint instanceof Error) {
      this.reject(endpoint);
      return undefined;
    }
    if (!requestHandler) {
      return context.tracer?.isActive("request") ? this.#sendTraced() : beginCall(transport, this);
    }
    this.#sendThrough(requestHandler).then(
      (value) => this.resolve(value),
      (error) => this.reject(toProtocolError(error, this.label)),
    );
    return SENT_BY_HANDLER;
  }

  #sendTraced(): SentCall {
    const { context } = this.client;
    const { route, argv } = this.encoded;
    let call!: SentCall;
    const settled = () =>
      new Promise<void>((resolve, reject) => {
        this.onSettled = (error) => (error === undefined ? resolve() : reject(error));
        call = beginCall(context.transport, this);
      });
    const command = this.label;
    const details = route ? { command, batchSize: argv.length } : { command };
    traced(context, "request", settled, details).catch(() => {});
    return call;
  }

  async #sendThrough(requestHandler: RequestHandler): Promise<T> {
    const { budget, label, signal, repeatable } = this;
    const { timeout } = budget;
    const { argv, route } = this.encoded;
    if ((route ? argv : [argv]).flat().some((arg) => typeof arg !== "string")) {
      const message = `${label}: bytes can't be sent through middleware, which gets JSON`;
      throw new ArgumentError(message, { command: label });
    }
    const timeoutError = (written: boolean) => createTimeoutError(label, timeout, written, this.write);
    if (timeout <= 0) throw timeoutError(false);
    if (signal?.aborted) throw signal.reason;
    const response = requestHandler(
      { ...(route && { path: [route] }), body: argv, ...(signal && { signal }) },
      { settings: this.client.settings, argv, repeatable, budget, signal },
    );
    const json = JSON.stringify(await within(timeout + GRACE, response, () => timeoutError(true), signal));
    return this.decode(readJson(json ?? "", false), false);
  }
}

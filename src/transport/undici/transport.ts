import type { HttpResponse } from "../../protocol/http.js";
import { afterTwoPolls } from "../../util/timers.js";
import { Body } from "../body.js";
import type { Attempt, AttemptListener, ConnectionStats, Transport } from "../transport.js";
import { type Controller, type Dispatcher, type DispatchHandler, dispatch } from "./dispatcher.js";
import { openStream } from "./stream.js";

/**
 * Requests over a dispatcher of undici, which manages connections itself. It calls `onRequestStart` right before a request is
 * written: a request that failed before that is unsent, any other is unknown.
 */
export class UndiciTransport implements Transport {
  constructor(
    private readonly dispatcher: Dispatcher,
    private readonly origin: string,
    private readonly maxReplySize: number,
    /** Shared by the clients of the origin. Undici does not report on connections: only `retries` counts. */
    readonly stats: ConnectionStats,
  ) {}

  attempt(listener: AttemptListener): Attempt {
    const attempt = new UndiciAttempt(listener, this.maxReplySize);
    // A FIN, a reset or a surplus byte that has arrived ends a connection of undici only when the event loop polls. After a
    // freeze in the middle of a callback one poll is not enough.
    afterTwoPolls(() => {
      if (attempt.ended) return;
      listener.numberIfNeeded();
      // Undici itself repeats requests that are idempotent. Interceptors may change the headers.
      const { path, headers, body } = listener.take();
      const request = { path, body, headers: { ...headers }, method: "POST", idempotent: false };
      dispatch(this.dispatcher, { origin: this.origin, ...request }, attempt);
    });
    return attempt;
  }

  onRetry(): void {
    this.stats.retries++;
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return openStream(this.dispatcher, url, init);
  }
}

class UndiciAttempt implements Attempt, DispatchHandler {
  ended = false;
  #controller: Controller | undefined;
  #written = 0;
  #status = 0;
  #header: HttpResponse["header"] = () => undefined;
  #body: Body<Uint8Array> | undefined;

  constructor(
    private readonly listener: AttemptListener,
    private readonly maxReplySize: number,
  ) {}

  abort(): void {
    if (this.ended) return;
    this.ended = true;
    this.#controller?.abort(new Error("aborted"));
  }

  onRequestStart(controller: Controller): void {
    if (this.ended) throw new Error("aborted");
    this.#controller = controller;
    this.listener.onStart();
    this.#written++;
  }

  onResponseStart(...[, status, headers]: Parameters<DispatchHandler["onResponseStart"]>): void {
    if (status < 200) return;
    this.#status = status;
    this.#header = (name) => [headers[name]].flat().join(", ") || undefined;
    const length = this.#header("content-length");
    this.#collect(() => {
      // A proxy has compressed the response, though no request asks for that.
      if (/^(?!identity$)./i.test(this.#header("content-encoding") ?? ""))
        throw new Error("the response is compressed: turn that off in the proxy in front of the endpoint");
      const allocate = (size: number) => new Uint8Array(size);
      this.#body = new Body(this.maxReplySize, allocate, length === undefined ? undefined : Number(length));
    });
  }

  onResponseData(_controller: Controller, chunk: Uint8Array): void {
    this.#collect(() => this.#body!.add(chunk));
  }

  onResponseEnd(): void {
    if (this.ended) return;
    this.ended = true;
    const response = { status: this.#status, header: this.#header, body: this.#body!.whole() };
    this.listener.onResponse(response, this.#written > 1);
  }

  onResponseError(_controller: Controller | undefined, cause: Error): void {
    if (this.ended) return;
    this.ended = true;
    this.listener.onFailure(cause);
  }

  /** Ends the attempt if the response is larger than allowed. */
  #collect(add: () => void): void {
    if (this.ended) return;
    try {
      add();
    } catch (error) {
      this.abort();
      this.listener.onFailure(error as Error);
    }
  }
}

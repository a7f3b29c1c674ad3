import type { HttpRequest, HttpResponse } from "../../protocol/http.js";
import { afterTwoPolls } from "../../util/timers.js";
import { Body } from "../body.js";
import type { Attempt, AttemptListener, ConnectionStats, Transport } from "../transport.js";
import { type Dispatcher, Exchange, type ExchangeListener } from "./exchange.js";
import { openStream } from "./stream.js";

/**
 * Requests over a dispatcher of undici, which manages connections itself. Its start callback runs right before a request
 * is written: a request that failed earlier is unsent, any other is unknown.
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
    return new UndiciAttempt(listener, this.maxReplySize).begin(this.dispatcher, this.origin);
  }

  onRetry(): void {
    this.stats.retries++;
  }

  fetch(url: string, init: RequestInit): Promise<Response> {
    return openStream(this.dispatcher, url, init);
  }
}

class UndiciAttempt implements Attempt, ExchangeListener {
  private readonly exchange = new Exchange(this);
  private aborted = false;
  private written = 0;
  private status = 0;
  private header: HttpResponse["header"] = () => undefined;
  private body: Body<Uint8Array> | undefined;

  constructor(
    private readonly listener: AttemptListener,
    private readonly maxReplySize: number,
  ) {}

  begin(dispatcher: Dispatcher, origin: string): this {
    // A FIN, a reset or a surplus byte that has arrived ends a connection of undici's only when the loop polls, and
    // once is not enough after a freeze in mid-callback.
    afterTwoPolls(() => {
      if (this.aborted) return;
      this.listener.makeRepeatable();
      this.exchange.dispatch(dispatcher, toDispatch(origin, this.listener.take()));
    });
    return this;
  }

  abort(): void {
    this.aborted = true;
    this.exchange.abort();
  }

  onStart(): void {
    this.listener.onStart();
    this.written++;
  }

  onHead(status: number, header: HttpResponse["header"]): void {
    this.status = status;
    this.header = header;
    const length = header("content-length");
    this.collect(() => {
      this.body = new Body(
        this.maxReplySize,
        (size) => new Uint8Array(size),
        length === undefined ? undefined : Number(length),
      );
    });
  }

  onData(chunk: Uint8Array): boolean {
    this.collect(() => this.body!.add(chunk));
    return true;
  }

  onEnd(): void {
    const { status, header, body } = this;
    this.listener.onResponse({ status, header, body: body!.whole() }, this.written > 1);
  }

  onError(cause: Error): void {
    this.listener.onFailure(cause);
  }

  /** Ends the attempt if the response is larger than allowed. */
  private collect(add: () => void): void {
    try {
      add();
    } catch (error) {
      this.exchange.abort();
      this.listener.onFailure(error as Error);
    }
  }
}

/** Returns a request as a dispatcher takes it. Headers are an object, as interceptors expect. */
function toDispatch(origin: string, { path, headers: list, body }: HttpRequest): object {
  const headers: Record<string, string> = {};
  for (let at = 0; at + 1 < list.length; at += 2) headers[list[at]!] = list[at + 1]!;
  // Undici itself repeats requests that are idempotent.
  return { origin, path, method: "POST", headers, body, idempotent: false };
}

import type { HttpAnswer, HttpRequest } from "../../../wire/http.js";
import { Connection, type ConnectionListener, type Discard, type ExchangeListener } from "../connection.js";
import type { Origin } from "../origin.js";
import { requestHead } from "./request-head.js";
import { type ParsedResponse, ResponseParser } from "./response-parser.js";

/**
 * A connection that speaks HTTP/1.1 itself: one request in flight, answers read strictly, and any byte, FIN or RST
 * that comes while none is expected ends it.
 */
export class Http1Connection extends Connection {
  private readonly host: string;
  /** Waiting for an answer. */
  private exchange: ExchangeListener | undefined;
  private parser = new ResponseParser();

  constructor(origin: Origin, listener: ConnectionListener) {
    super(origin, listener);
    this.host = new URL(origin.url).host;
    this.whenConnected(origin.tls, (error) => {
      // An error that comes later has its effect by "close", which follows.
      this.socket.on("error", () => {});
      if (error) {
        this.finish("open failed", error);
        return;
      }
      this.socket.on("data", (chunk) => this.read(chunk));
      this.socket.on("end", () => this.ended());
      this.socket.on("close", () => this.lost("closed by peer", new Error("the connection was closed")));
      this.opened();
    });
  }

  protected override write(
    { path, headers, body }: HttpRequest,
    keep: boolean,
    listener: ExchangeListener,
  ): void {
    const head = requestHead(path, this.host, headers, keep, Buffer.byteLength(body));
    try {
      listener.onStart();
    } catch (cause) {
      queueMicrotask(() => listener.onFailure(cause as Error));
      return;
    }
    this.exchange = listener;
    if (typeof body === "string") {
      this.socket.write(head + body);
    } else {
      this.socket.cork();
      this.socket.write(head, "latin1");
      this.socket.write(body);
      this.socket.uncork();
    }
  }

  private read(chunk: Buffer): void {
    if (!this.exchange) {
      this.lost("closed by peer", new Error("bytes came out of turn"));
      return;
    }
    try {
      const done = this.parser.push(chunk);
      if (done) this.answer(done.response, done.surplus.length > 0);
    } catch (error) {
      this.lost("closed by peer", error as Error);
    }
  }

  /** The server has sent a FIN. */
  private ended(): void {
    if (!this.exchange) {
      this.lost("closed by peer", new Error("the other side closed"));
      return;
    }
    try {
      this.answer(this.parser.end(), false);
    } catch (error) {
      this.lost("closed by peer", error as Error);
    }
  }

  private answer(response: ParsedResponse, surplus: boolean): void {
    const exchange = this.exchange!;
    this.exchange = undefined;
    this.parser = new ResponseParser();
    // Closed before anybody hears of the answer, so that the next request doesn't find the connection.
    if (surplus) this.destroy("closed by peer");
    else if (!response.keepAlive) this.destroy("asked to close");
    exchange.onAnswer(new Answer(response));
  }

  private lost(reason: Discard, cause: Error): void {
    const { exchange } = this;
    this.exchange = undefined;
    this.socket.destroy();
    this.finish(reason, cause);
    exchange?.onFailure(cause);
  }
}

class Answer implements HttpAnswer {
  readonly status: number;
  readonly body: Uint8Array;
  private readonly headers: ReadonlyMap<string, string>;

  constructor({ status, body, headers }: ParsedResponse) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }

  header(name: string): string | undefined {
    return this.headers.get(name);
  }
}

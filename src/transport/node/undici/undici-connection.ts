import type { Socket } from "node:net";
import { kConnect } from "undici/lib/core/symbols.js";
import Client from "undici/lib/dispatcher/client.js";
import type { HttpRequest, HttpResponse } from "../../../protocol/http.js";
import { Body } from "../../body.js";
import { type CloseReason, Connection, type ConnectionListener } from "../connection.js";
import type { Origin } from "../origin.js";

type Connected = (...result: [Error, null] | [null, Socket]) => void;

/**
 * A connection under undici's `Client`, which parses and writes. What we rely on in it: `onConnect` runs
 * synchronously right before the write; with no request running, any byte that arrives, FIN or RST destroys the
 * socket; its connector is called again only when a request is waiting and the socket is gone.
 */
export class UndiciConnection extends Connection {
  private readonly client: Client;

  constructor(origin: Origin, listener: ConnectionListener) {
    super(origin, listener);
    let given = false;
    this.client = new Client(origin.url, {
      pipelining: 1,
      // Time is the call's business and idleness the pool's: undici's own timers are all off or out of the way.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: 2 ** 31 - 1,
      keepAliveMaxTimeout: 2 ** 31 - 1,
      keepAliveTimeoutThreshold: 0,
      connect: (_options: unknown, callback: Connected) => {
        // A Connection is one socket: a second connect fails, as the request was not sent.
        const gone = () =>
          callback(new Error("the connection was closed before the request was written"), null);
        if (given) setImmediate(gone);
        else
          this.whenConnected(origin.tls, (error) =>
            error ? callback(error, null) : callback(null, this.socket),
          );
        given = true;
      },
    });
    this.client.on("disconnect", (_url: unknown, _targets: unknown, cause: Error) =>
      this.finish("closed-by-peer", cause),
    );
    this.client.on("connectionError", (_url: unknown, _targets: unknown, cause: Error) =>
      this.finish("connect-failed", cause),
    );
    this.client[kConnect](() => this.opened());
  }

  protected override write({ path, headers, body }: HttpRequest, keep: boolean, maxReplySize: number): void {
    const request = { path, method: "POST", headers: headers as string[], body, reset: !keep } as const;
    const handler = new Exchange(
      maxReplySize,
      () => this.starts(),
      (response) => this.responded(response),
      (cause) => this.failed(cause),
    );
    this.client.dispatch(request, handler);
  }

  protected override finish(reason: CloseReason, cause: Error | undefined): void {
    super.finish(reason, cause);
    if (!this.client.destroyed) this.client.destroy().catch(() => {});
  }
}

/** Collects one response from undici. */
class Exchange {
  private status = 0;
  private headers: readonly Buffer[] = [];
  private readonly body: Body<Buffer>;
  private failed = false;

  constructor(
    maxReplySize: number,
    readonly onConnect: () => void,
    private readonly onResponse: (response: HttpResponse) => void,
    private readonly onFailure: (cause: Error) => void,
  ) {
    this.body = new Body(maxReplySize, Buffer.allocUnsafe);
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.status = status;
    this.headers = headers;
    return true;
  }

  onData(chunk: Buffer): boolean {
    try {
      if (!this.failed) this.body.add(chunk);
    } catch (error) {
      this.onError(error as Error);
    }
    return true;
  }

  onComplete(): void {
    if (!this.failed) this.onResponse(new RawResponse(this.status, this.headers, this.body.whole()));
  }

  onError(cause: Error): void {
    if (this.failed) return;
    this.failed = true;
    this.onFailure(cause);
  }
}

class RawResponse implements HttpResponse {
  constructor(
    readonly status: number,
    private readonly raw: readonly Buffer[],
    readonly body: Uint8Array,
  ) {}

  header(name: string): string | undefined {
    for (let i = 0; i + 1 < this.raw.length; i += 2) {
      const found = this.raw[i]!;
      if (found.length === name.length && found.toString("latin1").toLowerCase() === name) {
        return this.raw[i + 1]!.toString("latin1");
      }
    }
    return undefined;
  }
}

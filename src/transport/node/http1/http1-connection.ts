import type { HttpRequest } from "../../../protocol/http.js";
import { type CloseReason, Connection, type ConnectionListener } from "../connection.js";
import type { Origin } from "../origin.js";
import { RequestHeads } from "./request-head.js";
import { BadResponse, type ParsedResponse, ResponseParser } from "./response-parser.js";

/**
 * A connection that speaks HTTP/1.1 itself: one request in flight, responses read strictly, and any byte, FIN or RST
 * that comes while none is expected ends it.
 */
export class Http1Connection extends Connection {
  private readonly heads: RequestHeads;
  /** Whether a request was written whose response has not come. */
  private waits = false;
  private parser: ResponseParser | undefined;

  constructor(origin: Origin, listener: ConnectionListener) {
    super(origin, listener);
    this.heads = new RequestHeads(new URL(origin.url).host);
    this.whenConnected(origin.tls, (error) => {
      // An error that comes later has its effect by "close", which follows.
      this.socket.on("error", () => {});
      if (error) {
        this.finish("connect-failed", error);
        return;
      }
      // Where the socket is a stream to read from.
      this.socket.on("data", (chunk) => this.read(chunk));
      this.socket.on("end", () => this.ended());
      this.socket.on("close", () => this.lost("closed-by-peer", new Error("the connection was closed")));
      this.opened();
    });
  }

  protected override write({ path, headers, body }: HttpRequest, keep: boolean, maxReplySize: number): void {
    const length = Buffer.byteLength(body);
    const head = this.heads.head(path, headers, keep, length);
    try {
      this.starts();
    } catch (cause) {
      queueMicrotask(() => this.failed(cause as Error));
      return;
    }
    this.waits = true;
    this.parser = new ResponseParser(maxReplySize);
    const { socket } = this;
    if (typeof body === "string") {
      // A text as long as its bytes is ASCII, and needs no encoding; a head never does.
      if (length === body.length) socket.write(head + body, "latin1");
      else socket.write(head + body);
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
  }

  protected override read(chunk: Buffer): void {
    if (!this.waits) {
      this.lost("closed-by-peer", new Error("the server sent bytes without a request"));
      return;
    }
    try {
      const done = this.parser!.push(chunk);
      if (done) this.complete(done.response, done.surplus.length > 0);
    } catch (error) {
      this.lost("closed-by-peer", error as Error);
    }
  }

  /** The server has sent a FIN. */
  private ended(): void {
    if (!this.waits) {
      this.lost("closed-by-peer", new Error("the server closed the connection"));
      return;
    }
    const parser = this.parser!;
    try {
      this.complete(parser.end(), false);
    } catch (error) {
      const unanswered = parser.isEmpty && !this.origin.responded;
      this.lost("closed-by-peer", unanswered ? new BadResponse(this.closedAtOnce()) : (error as Error));
    }
  }

  /** A Redis closes a connection with an HTTP request, and most TLS servers one without TLS. */
  private closedAtOnce(): string {
    const tls = this.origin.tls ? "" : ", and begin with https:// if the port uses TLS";
    return `the connection was closed without a response: url must be that of a Redis HTTP endpoint, such as warmline-gateway, not of Redis itself${tls}`;
  }

  private complete(response: ParsedResponse, surplus: boolean): void {
    this.waits = false;
    // Closed before the response callback, so that the next request doesn't find the connection.
    if (surplus) this.destroy("closed-by-peer");
    else if (!response.keepAlive) this.destroy("connection-close");
    this.responded(response);
  }

  private lost(reason: CloseReason, cause: Error): void {
    const { waits } = this;
    this.waits = false;
    this.socket.destroy();
    this.finish(reason, cause);
    if (waits) this.failed(cause);
  }
}

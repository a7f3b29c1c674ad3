import type { Socket } from "node:net";
import type { HeaderValues, HttpRequest, HttpResponse } from "../../protocol/http.js";
import type { Clock, Moment } from "../../util/clock.js";
import { microtask } from "../../util/timers.js";
import { headLines } from "./http1/request-head.js";
import { BadResponse } from "./http1/response-head.js";
import { type ParsedResponse, ResponseParser } from "./http1/response-parser.js";
import { type Origin, openSocket } from "./origin.js";

/**
 * Why a connection was closed.
 * - `connect-failed`: it could not be opened.
 * - `closed-by-peer`: a FIN, a reset, or bytes that were not a response or came without a request.
 * - `idle-timeout`: it was idle for longer than the server keeps it, or for its maximum.
 * - `no-response`: it was suspected dead, and another connection responded first or took its place.
 * - `connection-close`: the response said `Connection: close`.
 * - `aborted`: the call's time was up, or its signal aborted, with the response outstanding.
 * - `closed-by-client`: `close()` was called, it hung while opening and its place was needed or nothing waited for it, or the circuit
 *   did not need it any more.
 * - `keep-alive-off`: keep-alive is off, so it carried one request.
 */
export type CloseReason =
  | "connect-failed"
  | "closed-by-peer"
  | "idle-timeout"
  | "no-response"
  | "connection-close"
  | "aborted"
  | "closed-by-client"
  | "keep-alive-off";

/** Maximum idle time in ms if the server sends no keep-alive timeout: functions often run every five minutes. */
const IDLE_LIMIT = 305_000;
/** Maximum idle time in ms, whatever the server advertises: NAT gateways drop a connection that is idle for 350 s. */
const MAX_IDLE = 345_000;

/** Margin in ms below the idle limit that the server advertises, so that a write does not race with its close. */
const ADVERTISED_MARGIN = 1_000;

/**
 * Time in ms after which a connection that is still opening is closed if nothing waits for it. A pending `connect` keeps the process
 * alive, even if its socket is unref'd.
 */
export const OPENING_LIMIT = 3_000;

/** The owner of connections, which is told when they open and close. */
export interface ConnectionListener {
  readonly clock: Clock;
  onOpen(connection: Connection): void;
  onClosed(connection: Connection, reason: CloseReason, cause: Error | undefined): void;
}

/** Callbacks of one request on one connection: `onStart` right before the write, then one of the others. */
export interface ExchangeListener {
  /** @throws Error if the request must not be written any more. */
  onStart?(): void;
  onResponse(response: HttpResponse, connection: Connection): void;
  onFailure(cause: Error, connection: Connection): void;
}

/** An HTTP/1.1 connection for one request at a time. Anything that arrives without a request closes it. */
export class Connection {
  /** When the connection last became idle, or began to open. */
  since: Moment;
  /** Duration of the handshake in ms: about one round trip, or two or three with TLS. */
  openTook = 0;
  /** Requests written so far. */
  requests = 0;
  open = false;
  readonly #socket: Socket;
  /** Headers of the last request, and the lines that they became. */
  #headers: HeaderValues | undefined;
  #lines = "";
  #idleLimit = IDLE_LIMIT;
  /** Callbacks of the request in flight. */
  #listener: ExchangeListener | undefined;
  #parser: ResponseParser | undefined;
  #keep = true;
  #reason: CloseReason | undefined;
  #finished = false;

  constructor(
    private readonly origin: Origin,
    private readonly owner: ConnectionListener,
  ) {
    this.since = owner.clock.moment();
    this.#socket = openSocket(origin, (bytes) => this.#read(bytes));
    // A pending call keeps the process alive by its own timer.
    this.#socket.unref();
    let code: string | undefined;
    this.#socket
      .once(origin.tls ? "secureConnect" : "connect", () => this.#opened())
      .on("error", (error) => {
        if (!this.open) this.#finish("connect-failed", createConnectError(error));
        // On an open connection the event "close" follows, and reports the error.
        code = (error as NodeJS.ErrnoException).code;
      })
      .on("close", () => {
        if (this.open) this.#lost(Object.assign(new Error("the connection was closed"), code && { code }));
        else this.#finish("connect-failed", new Error("closed while connecting"));
      });
  }

  /** False as soon as a FIN, an RST or a byte without a request has been read. */
  get usable(): boolean {
    return this.open && this.#reason === undefined && !this.#finished && !this.#socket.destroyed;
  }

  /** Idle time in ms. */
  get idle(): number {
    return this.owner.clock.elapsed(this.since);
  }

  /** Whether the server has probably closed the connection after `idle` ms. */
  isStale(idle: number): boolean {
    return idle >= this.#idleLimit;
  }

  /** Writes a request; the connection must be usable and idle. A response larger than `maxReplySize` fails with ResponseTooLarge. */
  send(
    { path, headers, body }: HttpRequest,
    keep: boolean,
    maxReplySize: number,
    listener: ExchangeListener,
  ): void {
    this.#listener = listener;
    this.requests++;
    try {
      if (headers !== this.#headers || keep !== this.#keep) {
        this.#lines = headLines(this.origin.url.split("/")[2]!, headers, keep);
        this.#headers = headers;
        this.#keep = keep;
      }
      listener.onStart?.();
    } catch (cause) {
      microtask(() => this.#failed(cause as Error));
      return;
    }
    const length = Buffer.byteLength(body);
    const head = `POST ${path}${this.#lines}${length}\r\n\r\n`;
    this.#parser = new ResponseParser(maxReplySize);
    const socket = this.#socket;
    if (typeof body === "string") {
      // A body with as many bytes as characters is ASCII. To write it as latin1 is faster.
      if (length === body.length) socket.write(head + body, "latin1");
      else socket.write(head + body);
    } else {
      socket.cork();
      socket.write(head, "latin1");
      socket.write(body);
      socket.uncork();
    }
  }

  /** Stops listening and closes the connection, because the next request could get the outstanding response. */
  cancel(reason: CloseReason): void {
    this.#listener = undefined;
    this.destroy(reason);
  }

  /** Closes the socket. Safe to call twice. */
  destroy(reason: CloseReason): void {
    this.#reason ??= reason;
    this.#socket.destroy();
    this.#finish(reason, undefined);
  }

  #opened(): void {
    // The event "data" is emitted only without `onread`: see openSocket.
    this.#socket.on("data", (chunk) => this.#read(chunk)).on("end", () => this.#ended());
    this.open = true;
    this.openTook = this.idle;
    this.since = this.owner.clock.moment();
    this.owner.onOpen(this);
  }

  /** Takes bytes of the socket. Their memory is overwritten afterwards. */
  #read(chunk: Buffer): void {
    if (!this.#listener) {
      this.#lost(new Error("the server sent bytes without a request"));
      return;
    }
    try {
      const done = this.#parser!.push(chunk);
      if (done) this.#complete(done.response, done.surplus.length > 0);
    } catch (error) {
      this.#lost(error as Error);
    }
  }

  /** The server has sent a FIN. */
  #ended(): void {
    if (!this.#listener) {
      this.#lost(new Error("the server closed the connection"));
      return;
    }
    const parser = this.#parser!;
    try {
      this.#complete(parser.end(), false);
    } catch (error) {
      const unanswered = parser.isEmpty && !this.origin.responded;
      this.#lost(unanswered ? new BadResponse(this.#closedAtOnce()) : (error as Error));
    }
  }

  /** Returns the message if no byte ever arrived: Redis closes after an HTTP request, most TLS servers after one without TLS. */
  #closedAtOnce(): string {
    const tls = this.origin.tls ? "" : ", and begin with https:// if the port uses TLS";
    return `the connection was closed without a response: url must be that of a Redis HTTP endpoint, such as warmline-gateway, not of Redis itself${tls}`;
  }

  #complete(response: ParsedResponse, surplus: boolean): void {
    // Closed before the callback, so that the next request doesn't find the connection.
    if (surplus) this.destroy("closed-by-peer");
    else if (!response.head.keepAlive) this.destroy("connection-close");
    this.origin.responded = true;
    this.since = this.owner.clock.moment();
    this.#idleLimit = idleLimitOf(response);
    if (!this.#keep) {
      this.#reason = "keep-alive-off";
      microtask(() => this.destroy("keep-alive-off"));
    }
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onResponse(response, this);
  }

  #lost(cause: Error): void {
    this.#socket.destroy();
    this.#finish("closed-by-peer", cause);
    this.#failed(cause);
  }

  #failed(cause: Error): void {
    const listener = this.#listener;
    this.#listener = undefined;
    listener?.onFailure(cause, this);
  }

  /** Reports the end of the connection, once. */
  #finish(reason: CloseReason, cause: Error | undefined): void {
    if (this.#finished) return;
    this.#finished = true;
    this.owner.onClosed(this, this.#reason ?? reason, cause);
  }
}

/** The last `Keep-Alive` header and its limit, cached because a server repeats the same header. */
let lastAdvertised: string | undefined;
let lastLimit = IDLE_LIMIT;

function idleLimitOf(response: HttpResponse): number {
  const advertised = response.header("keep-alive");
  if (advertised !== lastAdvertised) {
    const seconds = advertised && /timeout=(\d+)/i.exec(advertised)?.[1];
    lastLimit = seconds ? Math.min(MAX_IDLE, Number(seconds) * 1000 - ADVERTISED_MARGIN) : IDLE_LIMIT;
    lastAdvertised = advertised;
  }
  return lastLimit;
}

/**
 * Returns the error of a connection that could not be opened. The message says what to do.
 * @param error the error of the socket. Its message may be empty if there is an error for each address of the host.
 */
function createConnectError(error: NodeJS.ErrnoException & { errors?: Error[] }): Error {
  const { code = "", errors = [] } = error;
  const reason = error.message.trim() || errors.map(({ message }) => message).join(", ") || code;
  const message = /^ERR_SSL_(WRONG_VERSION|PACKET_LENGTH)/.test(code)
    ? "the server does not use TLS at this port: url must begin with http://, or have another port"
    : /SELF_SIGNED|UNABLE_TO_(GET|VERIFY)/.test(code)
      ? `${reason}: pass its authority as tls: { ca }, or in NODE_EXTRA_CA_CERTS`
      : /NO_APPLICATION_PROTOCOL/.test(code)
        ? "the server does not speak HTTP/1.1: allow it besides HTTP/2, at the server or the proxy in front of it"
        : reason;
  return Object.assign(new Error(message, { cause: error }), code && { code });
}

import type { Socket } from "node:net";
import type { HttpRequest, HttpResponse } from "../../protocol/http.js";
import type { Clock, Moment } from "../../util/clock.js";
import { createConnectError } from "./connect-error.js";
import { type Origin, openSocket } from "./origin.js";

/**
 * Why a connection was closed.
 * - `connect-failed`: it could not be opened.
 * - `closed-by-peer`: a FIN, a reset, or bytes that were no response or came out of turn.
 * - `idle-timeout`: it was idle for longer than the server keeps it, or for its maximum.
 * - `no-response`: it was suspected dead, and another connection responded first or took its place.
 * - `connection-close`: the response said `Connection: close`.
 * - `aborted`: the call's time was up, or its signal aborted, with the response outstanding.
 * - `closed-by-client`: `close()` was called, or it hung while opening and its place was needed.
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

export interface ConnectionListener {
  readonly clock: Clock;
  onOpen(connection: Connection): void;
  onClosed(connection: Connection, reason: CloseReason, cause: Error | undefined): void;
}

/** Callbacks of one request on one connection: `onStart` right before the write, then one of the others. */
export interface ExchangeListener {
  onStart(): void;
  onResponse(response: HttpResponse, connection: Connection): void;
  onFailure(cause: Error, connection: Connection): void;
}

/** One keep-alive HTTP/1.1 socket, carrying one request at a time. What writes and parses is the subclass's. */
export abstract class Connection {
  /** When it last became idle, or began to open. */
  since: Moment;
  /** Duration of the handshake in ms: about one round trip, or two or three with TLS. */
  openTook = 0;
  /** Requests written so far. */
  requests = 0;
  open = false;
  protected readonly socket: Socket;
  private idleLimit = IDLE_LIMIT;
  /** Callbacks of the request in flight. */
  private listener: ExchangeListener | undefined;
  private keep = true;
  private reason: CloseReason | undefined;
  private finished = false;

  constructor(
    protected readonly origin: Origin,
    private readonly owner: ConnectionListener,
  ) {
    this.since = owner.clock.moment();
    this.socket = openSocket(origin, this.read && ((bytes) => this.read!(bytes)));
    // A pending call keeps the process alive by its own timer.
    this.socket.unref();
  }

  /** False as soon as a FIN, an RST or a byte out of turn has been read. */
  get usable(): boolean {
    return this.open && this.reason === undefined && !this.finished && !this.socket.destroyed;
  }

  /** Idle time in ms. */
  get idle(): number {
    return this.owner.clock.elapsed(this.since);
  }

  /** Whether the server has probably closed it, idle for so many ms. */
  isStale(idle: number): boolean {
    return idle >= this.idleLimit;
  }

  /**
   * Writes a request; the connection must be usable and idle.
   * @param keep whether the connection is to be kept for another request.
   * @param maxReplySize the most bytes of the response's body; with more it fails with ResponseTooLarge.
   */
  send(request: HttpRequest, keep: boolean, maxReplySize: number, listener: ExchangeListener): void {
    this.listener = listener;
    this.keep = keep;
    this.write(request, keep, maxReplySize);
    this.requests++;
  }

  /** Stops listening and, as a response outstanding could come to the next request, closes the connection. */
  cancel(reason: CloseReason): void {
    this.listener = undefined;
    this.destroy(reason);
  }

  /** Closes the socket. Safe to call twice. */
  destroy(reason: CloseReason): void {
    this.reason ??= reason;
    this.socket.destroy();
    this.finish(reason, undefined);
  }

  /** Takes what was read of the socket, which is overwritten afterwards. Without it the subclass reads the socket itself. */
  protected read?(bytes: Buffer): void;

  /** Writes a request, calling `starts` synchronously right before, and then `answered` or `failed` once. */
  protected abstract write(request: HttpRequest, keep: boolean, maxReplySize: number): void;

  /** @throws Error when the request must not be written any more. */
  protected starts(): void {
    this.listener?.onStart();
  }

  protected responded(response: HttpResponse): void {
    const { listener } = this;
    this.listener = undefined;
    this.origin.responded = true;
    this.since = this.owner.clock.moment();
    this.idleLimit = idleLimitOf(response);
    if (!this.keep) this.reason = "keep-alive-off";
    else if (asksToClose(response)) this.reason = "connection-close";
    const { reason } = this;
    if (reason !== undefined) queueMicrotask(() => this.destroy(reason));
    listener?.onResponse(response, this);
  }

  protected failed(cause: Error): void {
    const { listener } = this;
    this.listener = undefined;
    listener?.onFailure(cause, this);
  }

  /** Calls back once the socket can be written, or with what went wrong. */
  protected whenConnected(tls: boolean, callback: (error: Error | undefined) => void): void {
    const { socket } = this;
    const event = tls ? "secureConnect" : "connect";
    const done = (error: Error | undefined) => {
      socket.off(event, onConnect).off("error", onError).off("close", onClose);
      callback(error);
    };
    const onConnect = () => done(undefined);
    const onError = (error: Error) => done(createConnectError(error));
    const onClose = () => done(new Error("closed while connecting"));
    socket.on(event, onConnect).on("error", onError).on("close", onClose);
  }

  /** To be called once the socket can be written and is being read. */
  protected opened(): void {
    this.open = true;
    this.openTook = this.idle;
    this.since = this.owner.clock.moment();
    this.owner.onOpen(this);
  }

  /** To be called when the connection has ended; what is called after the first time is ignored. */
  protected finish(reason: CloseReason, cause: Error | undefined): void {
    if (this.finished) return;
    this.finished = true;
    this.owner.onClosed(this, this.reason ?? reason, cause);
  }
}

/** The last advertised header and its limit, cached because a server repeats the same header. */
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

function asksToClose(response: HttpResponse): boolean {
  const connection = response.header("connection");
  return connection !== undefined && connection !== "keep-alive" && /\bclose\b/i.test(connection);
}

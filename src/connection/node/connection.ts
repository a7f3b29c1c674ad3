import type { Socket } from "node:net";
import type { HttpAnswer, HttpRequest } from "../../wire/http.js";
import { elapsed, type Moment, moment } from "../clock.js";
import { type Origin, openSocket } from "./origin.js";

/** Why a connection was given up. */
export type Discard =
  | "open failed"
  | "closed by peer"
  | "idle too long"
  | "no answer"
  | "asked to close"
  | "aborted"
  | "closed"
  | "not kept";

/** How long a connection may be idle when the server doesn't say, in ms. */
const IDLE_LIMIT = 300_000;

/** What the server advertises is its own limit: stay clear of the race with its close, in ms. */
const ADVERTISED_MARGIN = 1_000;

export interface ConnectionListener {
  onOpen(connection: Connection): void;
  onClosed(connection: Connection, reason: Discard, cause: Error | undefined): void;
}

/** What becomes of one request on one connection: `onStart` right before the write, then one of the others. */
export interface ExchangeListener {
  onStart(): void;
  onAnswer(answer: HttpAnswer): void;
  onFailure(cause: Error): void;
}

/** One keep-alive HTTP/1.1 socket, carrying one request at a time. What writes and parses is the subclass's. */
export abstract class Connection {
  /** When it last became idle, or began to open. */
  since: Moment = moment();
  /** How long the handshake took, in ms: about one round trip, or two or three with TLS. */
  openTook = 0;
  /** Requests written so far. */
  requests = 0;
  open = false;
  protected readonly socket: Socket;
  private idleLimit = IDLE_LIMIT;
  private reason: Discard | undefined;
  private finished = false;

  constructor(
    origin: Origin,
    private readonly listener: ConnectionListener,
  ) {
    this.socket = openSocket(origin);
    // Whoever waits keeps the process alive by a timer of its own.
    this.socket.unref();
  }

  /** False as soon as a FIN, an RST or a byte out of turn has been read. */
  get usable(): boolean {
    return this.open && this.reason === undefined && !this.finished && !this.socket.destroyed;
  }

  /** How long it has been idle, in ms. */
  get idle(): number {
    return elapsed(this.since);
  }

  /** Whether the server has probably closed it by now. */
  get stale(): boolean {
    return this.idle >= this.idleLimit;
  }

  /**
   * Writes a request; the connection must be usable and idle.
   * @param keep whether the connection is to be kept for another request.
   * @returns stops listening and, as its answer could come to the next request, closes the connection.
   */
  send(request: HttpRequest, keep: boolean, listener: ExchangeListener): (reason: Discard) => void {
    let listens = true;
    this.write(request, keep, {
      onStart: () => listener.onStart(),
      onAnswer: (answer) => {
        this.answered(answer, keep);
        const { reason } = this;
        if (reason !== undefined) queueMicrotask(() => this.destroy(reason));
        if (listens) listener.onAnswer(answer);
      },
      onFailure: (cause) => {
        if (listens) listener.onFailure(cause);
      },
    });
    this.requests++;
    return (reason) => {
      listens = false;
      this.destroy(reason);
    };
  }

  /** Closes the socket. Safe to call twice. */
  destroy(reason: Discard): void {
    this.reason ??= reason;
    this.socket.destroy();
    this.finish(reason, undefined);
  }

  /** Writes a request, calling `onStart` synchronously right before, and then one of the others once. */
  protected abstract write(request: HttpRequest, keep: boolean, listener: ExchangeListener): void;

  /** Calls back once the socket can be written, or with what went wrong. */
  protected whenConnected(tls: boolean, callback: (error: Error | undefined) => void): void {
    const { socket } = this;
    const event = tls ? "secureConnect" : "connect";
    const done = (error: Error | undefined) => {
      socket.off(event, onConnect).off("error", onError).off("close", onClose);
      callback(error);
    };
    const onConnect = () => done(undefined);
    const onError = (error: Error) =>
      done(new Error(error.message || (error as NodeJS.ErrnoException).code, { cause: error }));
    const onClose = () => done(new Error("closed while connecting"));
    socket.on(event, onConnect).on("error", onError).on("close", onClose);
  }

  /** To be called once the socket can be written and is being read. */
  protected opened(): void {
    this.open = true;
    this.openTook = elapsed(this.since);
    this.since = moment();
    this.listener.onOpen(this);
  }

  /** To be called when the connection has ended; what is called after the first time is ignored. */
  protected finish(reason: Discard, cause: Error | undefined): void {
    if (this.finished) return;
    this.finished = true;
    this.listener.onClosed(this, this.reason ?? reason, cause);
  }

  private answered(answer: HttpAnswer, keep: boolean): void {
    this.since = moment();
    const seconds = /timeout=(\d+)/i.exec(answer.header("keep-alive") ?? "")?.[1];
    this.idleLimit =
      seconds === undefined ? IDLE_LIMIT : Math.min(IDLE_LIMIT, Number(seconds) * 1000 - ADVERTISED_MARGIN);
    if (!keep) this.reason = "not kept";
    else if (/\bclose\b/i.test(answer.header("connection") ?? "")) this.reason = "asked to close";
  }
}

import type { Socket } from "node:net";
import { kConnect } from "undici/lib/core/symbols.js";
import Client from "undici/lib/dispatcher/client.js";
import type { HttpAnswer, HttpRequest } from "../../wire/http.js";
import { elapsed, type Moment, moment } from "./clock.js";
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

type Connected = (...result: [Error, null] | [null, Socket]) => void;

/**
 * One keep-alive HTTP/1.1 socket under undici's `Client`, which parses and writes. What we rely on in it:
 * `onConnect` runs synchronously right before the write; with no request running, any byte that arrives, FIN or
 * RST destroys the socket; its connector is asked again only when a request is waiting and the socket is gone.
 */
export class Connection {
  /** When it last became idle, or began to open. */
  since: Moment = moment();
  /** How long the handshake took, in ms: about one round trip, or two or three with TLS. */
  openTook = 0;
  /** Requests written so far. */
  requests = 0;
  open = false;
  private idleLimit = IDLE_LIMIT;
  private reason: Discard | undefined;
  private finished = false;
  private readonly socket: Socket;
  private readonly client: Client;

  constructor(
    origin: Origin,
    private readonly listener: ConnectionListener,
  ) {
    this.socket = openSocket(origin);
    this.socket.unref();
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
        // A Connection is one socket: asked for another, it says that there is none, and the request was not sent.
        if (given)
          setImmediate(() =>
            callback(new Error("the connection was closed before the request was written"), null),
          );
        else this.whenConnected(callback, origin.tls ? "secureConnect" : "connect");
        given = true;
      },
    });
    this.client.on("disconnect", (_url: unknown, _targets: unknown, cause: Error) =>
      this.finish("closed by peer", cause),
    );
    this.client.on("connectionError", (_url: unknown, _targets: unknown, cause: Error) =>
      this.finish("open failed", cause),
    );
    this.client[kConnect](() => {
      this.open = true;
      this.openTook = elapsed(this.since);
      this.since = moment();
      listener.onOpen(this);
    });
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
    const exchange = new Exchange(listener, (answer) => this.answered(answer, keep));
    this.client.dispatch(
      {
        path: request.path,
        method: "POST",
        headers: request.headers as string[],
        body: request.body,
        reset: !keep,
      },
      exchange,
    );
    this.requests++;
    return (reason) => {
      exchange.silence();
      this.destroy(reason);
    };
  }

  /** Closes the socket. Safe to call twice. */
  destroy(reason: Discard): void {
    this.reason ??= reason;
    // Before it is open, undici doesn't have the socket yet.
    this.socket.destroy();
    this.client.destroy().catch(() => {});
    this.finish(reason, undefined);
  }

  private answered(answer: HttpAnswer, keep: boolean): void {
    this.since = moment();
    const seconds = /timeout=(\d+)/i.exec(answer.header("keep-alive") ?? "")?.[1];
    this.idleLimit =
      seconds === undefined ? IDLE_LIMIT : Math.min(IDLE_LIMIT, Number(seconds) * 1000 - ADVERTISED_MARGIN);
    if (!keep) this.reason = "not kept";
    else if (/\bclose\b/i.test(answer.header("connection") ?? "")) this.reason = "asked to close";
  }

  private whenConnected(callback: Connected, event: string): void {
    const { socket } = this;
    const done = (error: Error | null) => {
      socket.off(event, onConnect).off("error", onError).off("close", onClose);
      if (error) callback(error, null);
      else callback(null, socket);
    };
    const onConnect = () => done(null);
    const onError = (error: Error) =>
      done(new Error(error.message || (error as NodeJS.ErrnoException).code, { cause: error }));
    const onClose = () => done(new Error("closed while connecting"));
    socket.on(event, onConnect).on("error", onError).on("close", onClose);
  }

  private finish(reason: Discard, cause: Error | undefined): void {
    if (this.finished) return;
    this.finished = true;
    this.listener.onClosed(this, this.reason ?? reason, cause);
    if (!this.client.destroyed) this.client.destroy().catch(() => {});
  }
}

/** Collects one answer from undici. */
class Exchange {
  private status = 0;
  private headers: readonly Buffer[] = [];
  private readonly chunks: Buffer[] = [];
  private listener: ExchangeListener | undefined;

  constructor(
    listener: ExchangeListener,
    private readonly onWhole: (answer: HttpAnswer) => void,
  ) {
    this.listener = listener;
  }

  silence(): void {
    this.listener = undefined;
  }

  onConnect(): void {
    this.listener?.onStart();
  }

  onHeaders(status: number, headers: Buffer[]): boolean {
    this.status = status;
    this.headers = headers;
    return true;
  }

  onData(chunk: Buffer): boolean {
    this.chunks.push(chunk);
    return true;
  }

  onComplete(): void {
    const { chunks } = this;
    const body = chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks);
    const answer = new RawAnswer(this.status, this.headers, body);
    this.onWhole(answer);
    this.listener?.onAnswer(answer);
  }

  onError(cause: Error): void {
    this.listener?.onFailure(cause);
  }
}

class RawAnswer implements HttpAnswer {
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

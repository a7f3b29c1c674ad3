import type { Socket } from "node:net";
import { adopt } from "../util/adopt-socket.js";
import type { BudgetPart, BufferBudget } from "../util/buffer-budget.js";
import { currentTurn } from "../util/turn.js";
import { HttpError } from "./http-error.js";
import type { RequestHead } from "./request-head.js";
import { RequestReader } from "./request-reader.js";
import type { ResponseHeads } from "./response-head.js";
import { type BodySource, ResponseSender, WholeBody } from "./response-sender.js";

/** Bytes of later requests that are read ahead while one is being processed. */
const READ_AHEAD = 64 * 1_024;
/** Time in ms for which a connection is read after its last byte was passed to the kernel: closing could discard that byte. */
const LINGER = 2_000;

/** The share of the budget up to which bytes may wait for readers of event streams. */
export const STREAM_SHARE = 1 / 2;

const CONTINUE = Buffer.from("HTTP/1.1 100 Continue\r\n\r\n");

enum Stage {
  /** Waiting for a request, or reading its head. */
  Head,
  /** Reading the body of a request. */
  Body,
  /** Waiting for the response. */
  Respond,
  /** Sending the body of a response. */
  Send,
  /** Sending events. */
  Stream,
  /** No further request gets a response. Further input is read and dropped. */
  Ending,
}

/** A request and its response, as its connection sees them. */
export interface HttpExchange {
  /** Processes the request, whose head has arrived. Never throws. */
  handle(): void;
  /** The rest of the request is invalid, or there is no memory for it. */
  invalid(error: HttpError): void;
  /** The body that was begun has been given to the client. */
  bodySent(): void;
  /** The client has ended its side. `withData`: probably together with the last bytes that it sent. */
  clientEnded(withData: boolean): void;
  abort(): void;
}

/** The body of a response. */
export interface Content {
  readonly type: string;
  readonly body: Buffer;
  /** Headers that belong to it, name and value in turn. */
  readonly headers: readonly string[];
}

/** Processes the requests of a server. */
export interface HttpService {
  /** Makes the exchange of a request whose head has arrived. `startedAt` is the time, in ms by the monotonic clock. */
  exchange(head: RequestHead, connection: Connection, host: ConnectionHost, startedAt: number): HttpExchange;
  /** Takes note of a request whose head is invalid, and returns the body of the response. */
  refused(error: HttpError): Content;
}

/** Follows what the connections of a server are doing. */
export interface ConnectionTracker {
  setBusy(connection: Connection): void;
  /** Records that the response on this connection is complete. */
  setIdle(connection: Connection): void;
  remove(connection: Connection): void;
}

/** The parts of a server that its connections and exchanges use. */
export interface ConnectionHost {
  readonly heads: ResponseHeads;
  /** The limit on bytes buffered for all requests together. */
  readonly budget: BufferBudget;
  /** The part of it for input that was not processed yet. */
  readonly inputBudget: BudgetPart;
  /** Whether the server is closing, so that no connection is kept. */
  readonly draining: boolean;
  readonly service: HttpService;
  readonly connections: ConnectionTracker;
  readonly onFailure: (error: unknown) => void;
}

/**
 * One client connection. It parses requests from its bytes and has them processed one after another. A request is not parsed
 * before the response to the previous one is complete.
 */
export class Connection {
  /** Time of the last response's end, or of the connection's start, in ms. */
  idleSince: number;
  /** Start of the wait for the rest of a head, or for a body, in ms; 0 for neither. */
  waitingSince = 0;
  /** Whether there was no room for this connection: nothing is run for it, and it ends with its first response. */
  refused = false;
  /** When the last part of the body that is being read came, in ms. */
  bodyAt = 0;
  /** Whether the client has ended its side. */
  hasClientEnded = false;
  /** The turn of the event loop in which the last bytes came. */
  #readIn = 0;
  readonly sender: ResponseSender;
  readonly #socket: Socket;
  readonly #reader = new RequestReader();
  #client: string | undefined;
  #stage = Stage.Head;
  #advancing = false;
  #exchange: HttpExchange | null = null;
  #onBody: ((body: Buffer | null) => void) | null = null;
  /** Whether another request may follow the response that is being sent. */
  #keep = false;
  /** Bytes of the budget that are taken for input that was not processed yet. */
  #ahead = 0;
  /** Whether later requests were dropped, so that the connection ends with the current response. */
  #isLast = false;

  /** @param accepted a socket from which no bytes were read, or all were put back */
  constructor(
    accepted: Socket,
    private readonly host: ConnectionHost,
  ) {
    const socket = adopt(accepted, (chunk) => this.#onData(chunk));
    this.#socket = socket;
    this.sender = new ResponseSender(socket, host.budget, () => this.#onSent());
    this.idleSince = performance.now();
    socket.on("end", this.#onEnd);
    socket.on("drain", () => {
      this.sender.uncount();
      if (this.#stage === Stage.Head && socket.isPaused()) socket.resume();
      this.#advance();
    });
    // The error does not matter, since `close` follows.
    socket.on("error", () => {});
    socket.on("close", () => {
      this.#exchange?.abort();
      this.#exchange = null;
      this.#stage = Stage.Ending;
      this.#reader.clear();
      this.#countAhead();
      this.sender.close();
      host.connections.remove(this);
    });
  }

  /** Whether a request is being read or processed, or its response is being sent. */
  get isBusy(): boolean {
    return this.#exchange !== null || this.#stage === Stage.Send || this.waitingSince > 0;
  }

  /** Whether a request has been read whose response has not begun. */
  get isProcessing(): boolean {
    return this.#stage === Stage.Respond;
  }

  /** Whether the body of a request, rather than a head, is what is being waited for. */
  get isReadingBody(): boolean {
    return this.#stage === Stage.Body;
  }

  /** The IP address of the other end, which may be a proxy's; empty once the connection is closed. */
  get client(): string {
    // An IPv4 address that came by an IPv6 socket is written as the one it is.
    this.#client ??= (this.#socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "");
    return this.#client;
  }

  get isClosed(): boolean {
    return this.#socket.destroyed;
  }

  /** Whether it carries events, which have limits of their own. */
  get isStreaming(): boolean {
    return this.#stage === Stage.Stream;
  }

  /** Bytes that the client has not taken yet. */
  get backlog(): number {
    return this.sender.backlog;
  }

  /** Closes the connection at once. An incomplete response ends with a reset. */
  destroy(): void {
    if (this.#stage === Stage.Send || this.backlog > 0) this.sender.abort();
    else this.#socket.destroy();
  }

  /** Closes the connection after the last byte that was written has left. Further input is read and dropped for a while. */
  end(): void {
    if (this.#stage === Stage.Ending) return;
    this.#stage = Stage.Ending;
    this.#reader.clear();
    this.#countAhead();
    this.#onBody = null;
    const socket = this.#socket;
    socket.end(() => {
      this.sender.uncount();
      this.#linger();
    });
    if (!this.hasClientEnded) socket.resume();
  }

  #linger(): void {
    const socket = this.#socket;
    if (this.hasClientEnded || socket.destroyed) return;
    const timer = setTimeout(() => socket.destroy(), LINGER);
    socket.once("end", () => clearTimeout(timer));
    socket.once("close", () => clearTimeout(timer));
  }

  /** The number of the current request: see `RequestReader`. */
  get number(): string {
    return this.#reader.number;
  }

  /** Bytes of the body still to be read, or null if the length is known only at its end. */
  get unread(): number | null {
    return this.#reader.unread;
  }

  /** Whether another request can follow the current one. A body that is there in full is skipped for that. */
  get mayContinue(): boolean {
    if (!this.#reader.head.keepAlive || this.refused || this.#isLast || this.host.draining) return false;
    return this.#reader.skipBody();
  }

  /**
   * Reads the body of the current request. Calls `done` with it; with null if it has more than `max` bytes, or is refused.
   * @param hold called with the bytes about to be allocated; false refuses the body
   */
  readBody(max: number, done: (body: Buffer | null) => void, hold?: (bytes: number) => boolean): void {
    const reader = this.#reader;
    const body = reader.takeBody(max);
    if (body) {
      done(body);
      return;
    }
    reader.beginBody(max, hold);
    this.#awaitBody(done);
  }

  /** Drops the body of the current request, whose length is known. Calls `done` when all of it has arrived. */
  discardBody(done: () => void): void {
    if (this.#reader.skipBody()) done();
    else this.#awaitBody(done);
  }

  #awaitBody(done: (body: Buffer | null) => void): void {
    const { head, ahead } = this.#reader;
    if (head.expectsContinue && ahead === 0) this.#socket.write(CONTINUE);
    this.#stage = Stage.Body;
    this.#onBody = done;
    this.waitingSince = performance.now();
    this.bodyAt = this.waitingSince;
    if (this.#socket.isPaused()) this.#socket.resume();
    this.#advance();
  }

  /** Sends the response to the current request, its head and body. Unless `keep`, the connection ends with it. */
  finish(response: readonly Buffer[], keep: boolean): void {
    this.#exchange = null;
    this.waitingSince = 0;
    const [head, body] = response as [Buffer, Buffer?];
    if (body) this.sendBody(head, new WholeBody(body), keep);
    else {
      this.#socket.write(head);
      this.#responded(keep);
    }
  }

  /** Sends the response to the current request, whose body is taken from `source`. */
  sendBody(head: Buffer, source: BodySource, keep: boolean): void {
    this.#stage = Stage.Send;
    this.#keep = keep;
    this.sender.begin(head, source);
  }

  #onSent(): void {
    this.#exchange?.bodySent();
    this.#exchange = null;
    this.waitingSince = 0;
    this.#responded(this.#keep);
  }

  #responded(keep: boolean): void {
    const socket = this.#socket;
    this.idleSince = performance.now();
    if (this.sender.isBehind) this.sender.countBacklog();
    if (socket.destroyed) return;
    if (!keep) {
      this.end();
      return;
    }
    this.#stage = Stage.Head;
    this.host.connections.setIdle(this);
    if (socket.isPaused()) socket.resume();
    if (this.#reader.ahead > 0 || this.hasClientEnded) this.#advance();
    else this.#countAhead();
  }

  /** Begins a response without end. Further input is dropped. */
  startStream(head: Buffer): void {
    this.#stage = Stage.Stream;
    this.#reader.clear();
    this.#countAhead();
    this.#socket.resume();
    this.#socket.write(head);
  }

  /**
   * Sends more of the stream, in pieces that are written together. Returns false if its reader is behind and there is no memory
   * for that: the connection is then reset.
   */
  stream(pieces: readonly Buffer[]): boolean {
    const socket = this.#socket;
    if (pieces.length === 1) socket.write(pieces[0]!);
    else {
      socket.cork();
      for (const piece of pieces) socket.write(piece);
      socket.uncork();
    }
    return !this.sender.isBehind || this.sender.countBacklog(STREAM_SHARE);
  }

  #onData(chunk: Buffer): void {
    if (this.#stage === Stage.Ending || this.#stage === Stage.Stream || this.#isLast) return;
    this.#readIn = currentTurn();
    this.#reader.add(chunk);
    this.#advance();
    const isBehind = this.#stage === Stage.Head && this.#socket.writableNeedDrain;
    const waits = this.#stage === Stage.Respond || this.#stage === Stage.Send || isBehind;
    if (waits && this.#reader.ahead > READ_AHEAD) this.#socket.pause();
  }

  /** Counts input that was not processed yet in the budget. */
  #countAhead(): void {
    const more = this.#reader.ahead - this.#ahead;
    if (more === 0) return;
    const { inputBudget } = this.host;
    if (more < 0) {
      this.#ahead += more;
      inputBudget.give(-more);
    } else if (inputBudget.take(more)) this.#ahead += more;
    else this.#dropAhead();
  }

  /** Refuses the request that is being read. Drops those behind the current one, which the client can send again. */
  #dropAhead(): void {
    const error = new HttpError("the gateway has no memory left for this request; try again later", 503);
    if (this.#stage === Stage.Head) {
      this.#refuse(error);
      return;
    }
    const isUnread = this.#stage === Stage.Respond && this.unread !== 0;
    this.#isLast = true;
    this.#keep = false;
    this.#reader.clear();
    this.#countAhead();
    if (isUnread) this.#exchange?.invalid(error);
  }

  #onEnd = (): void => {
    this.hasClientEnded = true;
    if (this.#stage === Stage.Body || this.#stage === Stage.Stream) this.#socket.destroy();
    else if (this.#stage === Stage.Respond) this.#exchange?.clientEnded(currentTurn() - this.#readIn <= 1);
    else this.#advance();
  };

  #advance(): void {
    if (this.#advancing) return;
    this.#advancing = true;
    let corked = false;
    try {
      while (this.#step()) {
        // Responses to requests that came together leave together.
        if (!corked && this.#stage === Stage.Head && this.#reader.ahead > 0) {
          this.#socket.cork();
          corked = true;
        }
      }
    } catch (error) {
      if (error instanceof HttpError) this.#refuse(error);
      else {
        this.host.onFailure(error);
        this.#socket.destroy();
      }
    } finally {
      this.#advancing = false;
      if (corked) {
        this.#socket.uncork();
        if (this.sender.isBehind) this.sender.countBacklog();
      }
    }
    this.#countAhead();
  }

  #step(): boolean {
    if (this.#stage === Stage.Head) return this.#stepHead();
    if (this.#stage === Stage.Body) return this.#stepBody();
    return false;
  }

  #stepHead(): boolean {
    // While the client does not read its responses, no further request is read.
    if (this.#socket.writableNeedDrain) return false;
    const head = this.#reader.readHead();
    if (!head) {
      if (this.#reader.ahead > 0) this.#waitForHead();
      else if (this.hasClientEnded) this.end();
      return false;
    }
    this.#stage = Stage.Respond;
    this.waitingSince = 0;
    const exchange = this.host.service.exchange(head, this, this.host, performance.now());
    this.#exchange = exchange;
    this.host.connections.setBusy(this);
    exchange.handle();
    return true;
  }

  #waitForHead(): void {
    if (this.hasClientEnded) this.#socket.destroy();
    else if (this.waitingSince === 0) {
      this.waitingSince = performance.now();
      this.host.connections.setBusy(this);
    }
  }

  #stepBody(): boolean {
    const isOver = this.#reader.collectBody();
    this.bodyAt = performance.now();
    if (!isOver) {
      if (this.hasClientEnded) this.#socket.destroy();
      return false;
    }
    const onBody = this.#onBody!;
    this.#onBody = null;
    this.#stage = Stage.Respond;
    this.waitingSince = 0;
    onBody(this.#reader.endBody());
    return true;
  }

  /** Responds to invalid input, and ends the connection, since the beginning of the next request is unknown. */
  #refuse(error: HttpError): void {
    if (this.#exchange) {
      this.#exchange.invalid(error);
      return;
    }
    this.host.connections.setBusy(this);
    const { type, body, headers } = this.host.service.refused(error);
    this.finish(this.host.heads.encode(error.status, type, false, headers, body, true), false);
  }
}

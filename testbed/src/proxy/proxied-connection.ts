import { connect, type Socket } from "node:net";
import { now, runAt } from "./clock.js";
import { DelayedStream } from "./delayed-stream.js";
import { ChunkFramer, type Framer, HttpFramer, type MessagePart, RespFramer } from "./frames.js";

/** The destination of a proxy: a TCP port of the loopback interface, or a UNIX socket. */
export type Destination = { port: number; host?: string } | { path: string };

/** The protocol whose messages behaviours see; `raw` takes every chunk as one message. */
export type Protocol = "http" | "resp" | "raw";

/** A request and its response on one connection. */
export interface Exchange {
  /** The exchange's number on its connection, from 1. */
  readonly number: number;
  /** The whole request as the client sent it. */
  readonly request: Buffer;
}

/** A part of a response as it came from the server. */
export interface ResponsePart extends MessagePart {
  /** The number of response bytes before this part. */
  readonly offset: number;
}

/** A fault of one exchange. A missing callback passes its bytes on unchanged. */
export interface Fault {
  /** Called with the whole request. To pass it on: `connection.toServer(exchange.request)`. */
  request?(connection: ProxiedConnection, exchange: Exchange): void;
  /** Called with each part of the response. To pass it on: `connection.toClient(part.bytes)`. */
  response?(connection: ProxiedConnection, part: ResponsePart, exchange: Exchange): void;
}

/**
 * The behaviour of one connection, as callbacks. A missing callback passes its event on unchanged. Each callback acts
 * through its `connection`: pass, discard, invent, delay, close, reset, blackhole.
 */
export interface Behaviour {
  /** Called when the client's connection is accepted, before any bytes pass. */
  opened?(connection: ProxiedConnection): void;
  /** Called with the first bytes of request `number`, which may not be complete yet. */
  requestStarted?(connection: ProxiedConnection, number: number): void;
  /** Called with each complete request. Returns the fault to apply to it and its response, if any. */
  exchange?(exchange: Exchange, connection: ProxiedConnection): Fault | undefined;
  /** Called after each complete response: the connection is idle if the client has sent no more. */
  responded?(connection: ProxiedConnection, exchange: Exchange): void;
}

/** Options of {@link ProxiedConnection}. */
export interface LinkOptions {
  /** The connection's number, from 1. */
  readonly number: number;
  /** Resets the client's connection (RST), below TLS if it has TLS. */
  readonly reset: () => void;
  /** Calls `run` once the client's connection is open, including TLS. Before that, no connection to the server is opened. */
  readonly whenUp: (run: () => void) => void;
  readonly to: Destination;
  readonly rttMs: number;
  readonly protocol: Protocol;
  readonly behaviour: Behaviour | undefined;
  /** Called with the number of bytes that came from one side. */
  onBytes(from: "fromClients" | "fromServer", count: number): void;
  onClosed(connection: ProxiedConnection): void;
}

interface Running extends Exchange {
  readonly fault: Fault | undefined;
  seen: number;
}

/**
 * One connection through the proxy: the client's socket on one side, a connection to the server on the other, and a
 * delayed stream each way. Behaviours act through its methods, which a test may call at any moment.
 */
export class ProxiedConnection {
  /** The connection's number, from 1. */
  readonly number: number;
  /** Number of requests that have begun to arrive. It is only counted if the connection has a behaviour. */
  requests = 0;
  /** Time of the last bytes from either side, in milliseconds of the monotonic clock. */
  lastBytesAt = now();

  /** Whether {@link blackhole} or {@link dropFlow} stopped all bytes. */
  blackholed = false;

  /** Resolves when the client's side is closed. */
  readonly closed: Promise<void>;

  readonly #client: Socket;
  readonly #options: LinkOptions;
  #server: Socket | undefined;
  #up: DelayedStream | undefined;
  readonly #down: DelayedStream;
  /** Actions that wait for the connection to the server. */
  readonly #early: ((lane: DelayedStream) => void)[] = [];
  readonly #behaviour: Behaviour | undefined;
  readonly #requestFramer: Framer | undefined;
  readonly #responseFramer: Framer | undefined;
  readonly #running: Running[] = [];
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #parts: Buffer[] = [];
  #inRequest = false;
  #onClientBytes: "pass" | "reset" | "swallow" = "pass";
  #onServerBytes: "pass" | "swallow" = "pass";
  #abandoned = false;

  constructor(client: Socket, options: LinkOptions) {
    this.#client = client;
    this.#options = options;
    this.number = options.number;
    this.#behaviour = options.behaviour;
    const half = options.rttMs / 2;
    const accepted = now();
    this.#down = new DelayedStream(client, half, accepted + half * 3, () =>
      pauseUntilDrained(this.#server, client),
    );
    if (this.#behaviour) {
      this.#requestFramer = this.#createFramer("request");
      this.#responseFramer = this.#createFramer("response");
    }
    client.on("data", (bytes: Buffer) => this.#fromClient(bytes));
    client.on("end", () => this.#clientEnded());
    client.on("error", () => this.#clientReset());
    this.closed = new Promise((resolve) => {
      client.on("close", () => {
        this.#settle();
        resolve();
      });
    });
    options.whenUp(() => {
      if (half === 0) this.#dial(half, accepted);
      else runAt(accepted + half, () => this.#dial(half, accepted));
    });
    this.#behaviour?.opened?.(this);
  }

  /** Whether the client's side is still open. */
  get open(): boolean {
    return !this.#client.destroyed;
  }

  /** Passes bytes on to the server. */
  toServer(bytes: Uint8Array): void {
    this.#withServer((lane) => lane.send(bytes));
  }

  /** Passes bytes on to the client. */
  toClient(bytes: Uint8Array): void {
    if (!this.blackholed) this.#down.send(bytes);
  }

  /** Ends the client's connection in the ordinary way (FIN) after what was sent to it before. */
  endClient(): void {
    if (!this.blackholed) this.#down.finish((client) => client.end());
  }

  /** Ends the server's connection in the ordinary way (FIN) after what was sent to it before. */
  endServer(): void {
    this.#withServer((lane) => lane.finish((server) => server.end()));
  }

  /**
   * Closes both sides in the ordinary way (FIN). Later bytes of the server are discarded; later bytes of the client get a
   * reset, as from a closed socket.
   */
  close(): void {
    this.endClient();
    this.endServer();
    this.#onServerBytes = "swallow";
    this.#onClientBytes = "reset";
  }

  /** Resets the client's connection (RST) after what was sent to it before, and drops the server's. */
  resetClient(): void {
    this.#onServerBytes = "swallow";
    this.#down.finish(() => this.#options.reset());
    this.#dropServer();
  }

  /** Drops all later bytes in both directions; both sides stay open, as when a firewall drops the flow. */
  blackhole(): void {
    this.blackholed = true;
    this.#onClientBytes = "swallow";
    this.#onServerBytes = "swallow";
  }

  /**
   * Drops the server's connection without a FIN or RST to the client. The client's next bytes get a reset, as from a host
   * that lost its state, or nothing.
   */
  dropFlow(next: "reset" | "nothing" = "reset"): void {
    this.blackholed = true;
    this.#onServerBytes = "swallow";
    this.#onClientBytes = next === "reset" ? "reset" : "swallow";
    this.#dropServer();
  }

  /** Discards all later bytes of the server. */
  discardResponses(): void {
    this.#onServerBytes = "swallow";
  }

  /** Calls `run` after `ms` milliseconds, unless the client's side is closed by then. */
  after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (this.open) run();
    }, ms);
    this.#timers.add(timer);
  }

  /** Ends both sides at once, for cleaning up. */
  destroy(): void {
    this.#client.destroy();
    this.#dropServer();
  }

  #dial(half: number, accepted: number): void {
    if (this.#abandoned) return;
    const server = connect({ ...this.#options.to, noDelay: true, allowHalfOpen: true });
    this.#server = server;
    this.#up = new DelayedStream(server, half, accepted + half * 2, () =>
      pauseUntilDrained(this.#client, server),
    );
    server.on("data", (bytes: Buffer) => this.#fromServer(bytes));
    server.on("end", () => this.#serverEnded());
    server.on("error", () => {
      if (this.#onServerBytes === "pass") this.resetClient();
    });
    for (const run of this.#early.splice(0)) run(this.#up);
  }

  #withServer(run: (lane: DelayedStream) => void): void {
    if (this.#up) run(this.#up);
    else this.#early.push(run);
  }

  #dropServer(): void {
    this.#abandoned = true;
    this.#server?.destroy();
  }

  #fromClient(bytes: Buffer): void {
    this.lastBytesAt = now();
    this.#options.onBytes("fromClients", bytes.length);
    if (this.#onClientBytes === "reset") {
      this.#options.reset();
      return;
    }
    if (this.#onClientBytes === "swallow") return;
    if (!this.#requestFramer) {
      this.toServer(bytes);
      return;
    }
    this.#start();
    for (const piece of this.#requestFramer.push(bytes)) {
      this.#start();
      this.#parts.push(piece.bytes);
      if (piece.last) {
        this.#inRequest = false;
        this.#begin(Buffer.concat(this.#parts.splice(0)));
      }
    }
  }

  #start(): void {
    if (this.#inRequest) return;
    this.#inRequest = true;
    this.requests++;
    this.#behaviour!.requestStarted?.(this, this.requests);
  }

  #begin(request: Buffer): void {
    if (this.#onClientBytes !== "pass") return;
    const exchange = { number: this.requests, request };
    const fault = this.#behaviour!.exchange?.(exchange, this);
    this.#running.push({ ...exchange, fault, seen: 0 });
    if (fault?.request) fault.request(this, exchange);
    else this.toServer(request);
  }

  #fromServer(bytes: Buffer): void {
    this.lastBytesAt = now();
    this.#options.onBytes("fromServer", bytes.length);
    if (this.#onServerBytes === "swallow") return;
    if (!this.#responseFramer) {
      this.toClient(bytes);
      return;
    }
    for (const piece of this.#responseFramer.push(bytes)) {
      if (this.#onServerBytes === "pass") this.#onResponse(piece);
    }
  }

  #onResponse(piece: MessagePart): void {
    const running = this.#running[0];
    if (!running) {
      this.toClient(piece.bytes);
      return;
    }
    const part: ResponsePart = { ...piece, offset: running.seen };
    running.seen += piece.bytes.length;
    if (piece.last) this.#running.shift();
    if (running.fault?.response) running.fault.response(this, part, running);
    else this.toClient(piece.bytes);
    if (piece.last) this.#behaviour!.responded?.(this, running);
  }

  #createFramer(kind: "request" | "response"): Framer {
    const { protocol } = this.#options;
    if (protocol === "http") {
      const isHead = () => this.#running[0]?.request.toString("latin1", 0, 5) === "HEAD ";
      return new HttpFramer(kind, () => kind === "response" && isHead());
    }
    return protocol === "resp" ? new RespFramer() : new ChunkFramer();
  }

  #clientEnded(): void {
    // A blackholed connection does not respond to a FIN either.
    if (this.blackholed && this.#onClientBytes === "swallow") return;
    if (this.#onClientBytes === "pass") this.endServer();
    // If the server's bytes are discarded, the client's FIN is the last event.
    if (this.#onServerBytes === "swallow") this.#client.end();
  }

  #clientReset(): void {
    if (!this.blackholed) this.#withServer((lane) => lane.finish(resetSocket));
  }

  #serverEnded(): void {
    if (this.#onServerBytes === "swallow") return;
    if (this.#responseFramer) this.toClient(this.#responseFramer.flush());
    this.endClient();
  }

  #settle(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
    // The server of a blackholed connection gets no FIN either: it keeps its half until the proxy closes.
    if (!this.blackholed) this.#withServer((lane) => lane.finish((server) => server.destroy()));
    this.#options.onClosed(this);
  }
}

function pauseUntilDrained(source: Socket | undefined, target: Socket): void {
  if (!source || source.isPaused()) return;
  const resume = () => {
    target.off("drain", resume).off("close", resume);
    source.resume();
  };
  source.pause();
  target.on("drain", resume).on("close", resume);
}

/**
 * Resets a connection (RST). While a FIN is being written, the kernel accepts no reset and Node would leave the socket open for
 * ever, so the reset follows the FIN.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished && !socket.destroyed) {
    socket.once("finish", () => socket.resetAndDestroy());
  } else socket.resetAndDestroy();
}

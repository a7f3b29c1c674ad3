import { connect, type Socket } from "node:net";
import type { Behaviour, Exchange, Fault, ResponsePart } from "./behaviour.js";
import { now, runAt } from "./clock.js";
import { DelayedStream } from "./delayed-stream.js";
import { ChunkFramer, type Framer, HttpFramer, type MessagePart, RespFramer } from "./frames.js";

/** The destination of a proxy: a TCP port of the loopback interface, or a UNIX socket. */
export type Destination = { port: number; host?: string } | { path: string };

/** The protocol whose messages behaviours see; `raw` takes every chunk as one message. */
export type Protocol = "http" | "resp" | "raw";

/** Options of one connection through the proxy. */
export interface LinkOptions {
  /** The connection's number, from 1. */
  readonly number: number;
  /** Resets the client's connection (RST): below TLS, where there is TLS. */
  readonly reset: () => void;
  /** Calls its argument once the client's connection is up, TLS included: the server is not dialled before. */
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
 * delayed stream each way. Behaviours act through its methods; a test may call them at any moment of its own choice.
 */
export class ProxiedConnection {
  /** The connection's number, from 1. */
  readonly number: number;
  /** Requests that have begun to arrive. Counted only where a behaviour watches the connection. */
  requests = 0;
  /** When bytes last came from either side, in milliseconds of the monotonic clock. */
  lastBytesAt = now();

  /** Whether no bytes pass any more because of {@link blackhole} or {@link dropFlow}. */
  blackholed = false;

  /** Settles when the client's side is closed. */
  readonly closed: Promise<void>;

  private server: Socket | undefined;
  private up: DelayedStream | undefined;
  private readonly down: DelayedStream;
  private readonly early: ((lane: DelayedStream) => void)[] = [];
  private readonly behaviour: Behaviour | undefined;
  private readonly requestFramer: Framer | undefined;
  private readonly responseFramer: Framer | undefined;
  private readonly running: Running[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly parts: Buffer[] = [];
  private inRequest = false;
  private onClientBytes: "pass" | "reset" | "swallow" = "pass";
  private onServerBytes: "pass" | "swallow" = "pass";
  private abandoned = false;

  constructor(
    private readonly client: Socket,
    private readonly options: LinkOptions,
  ) {
    this.number = options.number;
    this.behaviour = options.behaviour;
    const half = options.rttMs / 2;
    const accepted = now();
    this.down = new DelayedStream(client, half, accepted + half * 3, () =>
      pauseUntilDrained(this.server, client),
    );
    if (this.behaviour) {
      this.requestFramer = this.createFramer("request");
      this.responseFramer = this.createFramer("response");
    }
    client.on("data", (bytes: Buffer) => this.fromClient(bytes));
    client.on("end", () => this.clientEnded());
    client.on("error", () => this.clientReset());
    this.closed = new Promise((resolve) => {
      client.on("close", () => {
        this.settle();
        resolve();
      });
    });
    options.whenUp(() => {
      if (half === 0) this.dial(half, accepted);
      else runAt(accepted + half, () => this.dial(half, accepted));
    });
    this.behaviour?.opened?.(this);
  }

  /** Whether the client's side is still open. */
  get open(): boolean {
    return !this.client.destroyed;
  }

  /** Passes bytes on to the server. */
  toServer(bytes: Uint8Array): void {
    this.withServer((lane) => lane.send(bytes));
  }

  /** Passes bytes on to the client. */
  toClient(bytes: Uint8Array): void {
    if (!this.blackholed) this.down.send(bytes);
  }

  /** Ends the client's connection in the ordinary way (FIN) after what was sent to it before. */
  endClient(): void {
    if (!this.blackholed) this.down.finish((client) => client.end());
  }

  /** Ends the server's connection in the ordinary way (FIN) after what was sent to it before. */
  endServer(): void {
    this.withServer((lane) => lane.finish((server) => server.end()));
  }

  /**
   * Closes both sides in the ordinary way (FIN). Later bytes of the server are discarded; later bytes of the client get a
   * reset, as from a closed socket.
   */
  close(): void {
    this.endClient();
    this.endServer();
    this.onServerBytes = "swallow";
    this.onClientBytes = "reset";
  }

  /** Resets the client's connection (RST) after what was sent to it before, and drops the server's. */
  resetClient(): void {
    this.onServerBytes = "swallow";
    this.down.finish(() => this.options.reset());
    this.dropServer();
  }

  /** Drops all later bytes in both directions; both sides stay open, as when a firewall drops the flow. */
  blackhole(): void {
    this.blackholed = true;
    this.onClientBytes = "swallow";
    this.onServerBytes = "swallow";
  }

  /**
   * Drops the server's connection without a FIN or RST to the client. The client's next bytes get a reset, as from a host
   * that lost its state, or nothing.
   */
  dropFlow(next: "reset" | "nothing" = "reset"): void {
    this.blackholed = true;
    this.onServerBytes = "swallow";
    this.onClientBytes = next === "reset" ? "reset" : "swallow";
    this.dropServer();
  }

  /** Discards all later bytes of the server. */
  discardResponses(): void {
    this.onServerBytes = "swallow";
  }

  /** Runs `run` after `ms` milliseconds unless the connection is over by then. */
  after(ms: number, run: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      if (this.open) run();
    }, ms);
    this.timers.add(timer);
  }

  /** Ends both sides at once, for cleaning up. */
  destroy(): void {
    this.client.destroy();
    this.dropServer();
  }

  private dial(half: number, accepted: number): void {
    if (this.abandoned) return;
    const server = connect({ ...this.options.to, noDelay: true, allowHalfOpen: true });
    this.server = server;
    this.up = new DelayedStream(server, half, accepted + half * 2, () =>
      pauseUntilDrained(this.client, server),
    );
    server.on("data", (bytes: Buffer) => this.fromServer(bytes));
    server.on("end", () => this.serverEnded());
    server.on("error", () => this.serverReset());
    for (const run of this.early.splice(0)) run(this.up);
  }

  private withServer(run: (lane: DelayedStream) => void): void {
    if (this.up) run(this.up);
    else this.early.push(run);
  }

  private dropServer(): void {
    this.abandoned = true;
    this.server?.destroy();
  }

  private fromClient(bytes: Buffer): void {
    this.lastBytesAt = now();
    this.options.onBytes("fromClients", bytes.length);
    if (this.onClientBytes === "reset") {
      this.options.reset();
      return;
    }
    if (this.onClientBytes === "swallow") return;
    if (!this.requestFramer) {
      this.toServer(bytes);
      return;
    }
    this.start();
    for (const piece of this.requestFramer.push(bytes)) {
      this.start();
      this.parts.push(piece.bytes);
      if (piece.last) {
        this.inRequest = false;
        this.begin(Buffer.concat(this.parts.splice(0)));
      }
    }
  }

  private start(): void {
    if (this.inRequest) return;
    this.inRequest = true;
    this.requests++;
    this.behaviour!.requestStarted?.(this, this.requests);
  }

  private begin(request: Buffer): void {
    if (this.onClientBytes !== "pass") return;
    const exchange = { number: this.requests, request };
    const fault = this.behaviour!.exchange?.(exchange, this);
    this.running.push({ ...exchange, fault, seen: 0 });
    if (fault?.request) fault.request(this, exchange);
    else this.toServer(request);
  }

  private fromServer(bytes: Buffer): void {
    this.lastBytesAt = now();
    this.options.onBytes("fromServer", bytes.length);
    if (this.onServerBytes === "swallow") return;
    if (!this.responseFramer) {
      this.toClient(bytes);
      return;
    }
    for (const piece of this.responseFramer.push(bytes)) {
      if (this.onServerBytes === "pass") this.onResponse(piece);
    }
  }

  private onResponse(piece: MessagePart): void {
    const running = this.running[0];
    if (!running) {
      this.toClient(piece.bytes);
      return;
    }
    const part: ResponsePart = { ...piece, offset: running.seen };
    running.seen += piece.bytes.length;
    if (piece.last) this.running.shift();
    if (running.fault?.response) running.fault.response(this, part, running);
    else this.toClient(piece.bytes);
    if (piece.last) this.behaviour!.responded?.(this, running);
  }

  private createFramer(kind: "request" | "response"): Framer {
    const { protocol } = this.options;
    if (protocol === "http") {
      const isHead = () => this.running[0]?.request.toString("latin1", 0, 5) === "HEAD ";
      return new HttpFramer(kind, () => kind === "response" && isHead());
    }
    return protocol === "resp" ? new RespFramer() : new ChunkFramer();
  }

  private clientEnded(): void {
    // A blackholed connection does not respond to a FIN either.
    if (this.blackholed && this.onClientBytes === "swallow") return;
    if (this.behaviour?.clientEnded) this.behaviour.clientEnded(this);
    else if (this.onClientBytes === "pass") this.endServer();
    // If the server's bytes are discarded, the client's FIN is the last event.
    if (this.onServerBytes === "swallow") this.client.end();
  }

  private clientReset(): void {
    if (!this.blackholed) this.withServer((lane) => lane.finish(resetSocket));
  }

  private serverEnded(): void {
    if (this.onServerBytes === "swallow") return;
    if (this.responseFramer) this.toClient(this.responseFramer.flush());
    if (this.behaviour?.serverEnded) this.behaviour.serverEnded(this);
    else this.endClient();
  }

  private serverReset(): void {
    if (this.onServerBytes === "swallow") return;
    if (this.behaviour?.serverReset) this.behaviour.serverReset(this);
    else this.resetClient();
  }

  private settle(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    // The server of a blackholed connection gets no FIN either: it keeps its half until the proxy closes.
    if (!this.blackholed) this.withServer((lane) => lane.finish((server) => server.destroy()));
    this.options.onClosed(this);
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
 * Resets a connection (RST). While its end (FIN) is still being written the kernel takes no reset, and Node would leave
 * the socket open for ever: then it is reset as soon as that is done.
 */
export function resetSocket(socket: Socket): void {
  if (socket.writableEnded && !socket.writableFinished && !socket.destroyed) {
    socket.once("finish", () => socket.resetAndDestroy());
  } else socket.resetAndDestroy();
}

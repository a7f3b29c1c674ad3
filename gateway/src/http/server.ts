import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createServer as createTlsServer, type Server as TlsServer } from "node:tls";
import { BudgetPart } from "../util/buffer-budget.js";
import type { Certificate } from "../util/certificate.js";
import { Connection, type ConnectionHost } from "./connection.js";
import type { Connections } from "./connections.js";

/** Connections that may wait to be accepted. */
const BACKLOG = 4_096;
/** The share of the budget that input of all connections may use before it is processed: its sender may have no token. */
const INPUT_SHARE = 1 / 2;
/** Time in ms for sending the responses to requests that are ended because the server closes. */
const LAST_RESPONSES = 500;
/** Time in ms that a connection may be silent before TCP keep-alive probes its other end. */
const PROBE_AFTER = 60_000;

const SOCKETS = {
  noDelay: true,
  keepAlive: true,
  keepAliveInitialDelay: PROBE_AFTER,
  // A client that has sent all its requests may still read the responses.
  allowHalfOpen: true,
};

export interface HttpServerOptions
  extends Pick<ConnectionHost, "service" | "heads" | "budget" | "onFailure"> {
  readonly connections: Connections;
  /** The certificate for TLS, or null for plain HTTP. */
  readonly certificate: Certificate | null;
  /** Timeout in ms for a client's TLS handshake. */
  readonly greetTimeout: number;
  /** Called with a one-line message when the certificate was renewed, or could not be. */
  readonly onNotice: (message: string, isError: boolean) => void;
}

/** The HTTP server: accepts connections, and closes without losing responses. */
export class HttpServer {
  readonly #host;
  readonly #server: Server;
  /** TLS connections that are not ready yet, by client address. The oldest comes first. */
  readonly #greeting = new Map<string, Socket>();
  /** Connections that another process accepted, until they close. */
  readonly #entered = new Set<Socket>();

  constructor(private readonly options: HttpServerOptions) {
    const { budget, certificate } = options;
    this.#host = { ...options, inputBudget: new BudgetPart(budget, INPUT_SHARE), draining: false };
    this.#server = certificate
      ? this.#secure(certificate)
      : createServer({ ...SOCKETS, pauseOnConnect: true }, (socket) => this.accept(socket));
  }

  /** Listens, and returns the port. @throws a readable error when it can't */
  listen(host: string, port: number): Promise<number> {
    const server = this.#server;
    return new Promise((resolve, reject) => {
      const failed = (error: NodeJS.ErrnoException) => reject(listenError(error, host, port));
      server.once("error", failed);
      server.listen({ port, host, backlog: BACKLOG }, () => {
        server.off("error", failed);
        resolve((server.address() as AddressInfo).port);
      });
    });
  }

  /** Serves a connection that was accepted elsewhere. The server does not listen then. */
  enter(socket: Socket): void {
    socket.allowHalfOpen = SOCKETS.allowHalfOpen;
    this.#entered.add(socket);
    socket.once("close", () => this.#entered.delete(socket));
    this.#server.emit("connection", socket);
  }

  /** Says that it is closing, for `delay` ms: each connection ends with its current response, and new ones are served. */
  async drain(delay: number): Promise<void> {
    this.#host.draining = true;
    if (delay > 0) await sleep(delay);
  }

  /**
   * Stops accepting connections and waits up to `grace` ms for requests in flight. Then it closes the remaining connections,
   * those with a request in progress after its response.
   * @param endRequests called after `grace` ms; ends the requests in progress, so that they get their responses
   */
  async close(grace: number, endRequests: () => void): Promise<void> {
    const { connections, certificate } = this.options;
    this.#host.draining = true;
    let timer = setTimeout(() => {
      for (const socket of this.#greeting.values()) socket.destroy();
      connections.destroyUnprocessed();
      endRequests();
      timer = setTimeout(() => connections.destroyAll(), LAST_RESPONSES);
    }, grace);
    // After one more poll, so that requests already received get their responses.
    setImmediate(() => {
      connections.endIdle();
      // Nothing was sent on these. A handshake under way may end with a request.
      for (const socket of this.#greeting.values()) if (socket.bytesRead === 0) socket.destroy();
    });
    const entered = [...this.#entered].map(
      (socket) => new Promise((resolve) => socket.once("close", resolve)),
    );
    // A server that does not listen has closed at once.
    await Promise.all([new Promise((resolve) => this.#server.close(resolve)), ...entered]);
    clearTimeout(timer);
    connections.stop();
    certificate?.close();
  }

  accept(socket: Socket): void {
    const { connections } = this.options;
    if (connections.room <= 0) {
      connections.refusedTotal++;
      socket.destroy();
      return;
    }
    connections.add(new Connection(socket, this.#host));
  }

  #secure(certificate: Certificate): TlsServer {
    const { greetTimeout, onNotice } = this.options;
    const options = {
      ...SOCKETS,
      ...certificate.read(),
      ALPNProtocols: ["http/1.1"],
      handshakeTimeout: greetTimeout,
    };
    const server = createTlsServer(options, (socket) => {
      this.#greeting.delete(endOf(socket));
      this.accept(socket);
    });
    server.on("connection", (socket: Socket) => this.#greet(socket));
    // A greeting that failed, or was not made in time: Node leaves the connection open.
    server.on("tlsClientError", (_error, socket) => socket.destroy());
    certificate.watch(
      (renewed) => {
        server.setSecureContext(renewed);
        onNotice("the certificate was renewed", false);
      },
      (reason) => onNotice(reason, true),
    );
    return server;
  }

  /**
   * Follows a connection until TLS is agreed on, which costs more than all that follows. If there are too many, the one that
   * has taken longest is closed: an honest client is ready long before.
   */
  #greet(socket: Socket): void {
    const end = endOf(socket);
    this.#greeting.set(end, socket);
    socket.once("close", () => {
      if (this.#greeting.get(end) === socket) this.#greeting.delete(end);
    });
    const { connections } = this.options;
    if (this.#greeting.size <= connections.room) return;
    connections.refusedTotal++;
    const [[longest, oldest]] = this.#greeting as unknown as [[string, Socket]];
    this.#greeting.delete(longest);
    oldest.destroy();
  }
}

function listenError(cause: NodeJS.ErrnoException, host: string, port: number): Error {
  const messages: Record<string, string> = {
    EADDRINUSE: `port: ${port} is in use on ${host}; choose another, or 0 for any free one`,
    EACCES: `port: ${port} needs rights that this process lacks; choose one above 1023`,
    EADDRNOTAVAIL: `host: ${host} is not an address of this machine`,
    ENOTFOUND: `host: ${host} could not be resolved`,
  };
  const message = messages[cause.code ?? ""] ?? `the gateway can't listen on ${host}:${port} (${cause.code})`;
  return Object.assign(new Error(message, { cause }), { code: cause.code });
}

/** The other end of a connection: no two have the same at a time. */
function endOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}

import { createServer, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { VERSION } from "../version.js";
import type { Connections } from "./connections.js";
import type { Handler } from "./handler.js";
import { jsonError } from "./json-reply.js";

/** The HTTP server: accepts connections, answers what is not HTTP, and closes without losing answers. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;

  /**
   * @param keepAlive how long a connection may be idle, in ms; advertised to clients
   */
  constructor(handler: Handler, connections: Connections, keepAlive: number) {
    this.#connections = connections;
    const handle = handler.handle.bind(handler);
    this.#server = createServer(
      // Node's limits on head and body count from the opening of a connection: see Connections.
      { headersTimeout: 0, requestTimeout: 0, keepAliveTimeout: keepAlive, noDelay: true },
      handle,
    );
    this.#server.on("checkContinue", handle);
    this.#server.on("connection", (socket) => connections.add(socket));
    this.#server.on("clientError", (error: NodeJS.ErrnoException, socket) =>
      this.#malformed(error, socket as Socket),
    );
  }

  /** Listens, and returns the port. @throws when it can't */
  listen(host: string, port: number): Promise<number> {
    return new Promise((resolve, reject) => {
      this.#server.once("error", reject);
      this.#server.listen(port, host, () => {
        this.#server.off("error", reject);
        resolve((this.#server.address() as AddressInfo).port);
      });
    });
  }

  /** Stops accepting, lets requests in flight be answered for `grace` ms, then closes what is left. */
  async close(grace: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => this.#server.closeAllConnections(), grace);
      this.#server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      this.#server.closeIdleConnections();
    });
    this.#connections.stop();
  }

  #malformed(error: NodeJS.ErrnoException, socket: Socket): void {
    // With an answer outstanding, bytes written here would stand in its place.
    if (!socket.writable || this.#connections.isBusy(socket)) {
      socket.destroy();
      return;
    }
    const tooLarge = error.code === "HPE_HEADER_OVERFLOW";
    const status = tooLarge ? "431 Request Header Fields Too Large" : "400 Bad Request";
    const body = jsonError(
      tooLarge ? "ERR the request's head is too large" : "ERR the request is not valid HTTP",
    );
    const head = `HTTP/1.1 ${status}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    socket.end(`${head}\r\nWarmline-Gateway: ${VERSION}\r\nConnection: close\r\n\r\n${body}`);
  }
}

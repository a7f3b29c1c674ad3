import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { forTest } from "../../support/lifetime.js";
import { startServer } from "../../support/start-server.js";

/** A small HTTP server that counts what reached it. */
export interface Counting {
  readonly port: number;
  /** Requests whose body arrived whole. */
  readonly applied: number;
  readonly connections: number;
  /** Closes every connection in the ordinary way. */
  closeConnections(): void;
  close(): Promise<void>;
}

/** Starts the server. It responds to request n, counted from 1, with `answer <n>`, padded to `size` bytes. */
export async function startCounting(size = 0): Promise<Counting> {
  let applied = 0;
  let connections = 0;
  const sockets = new Set<Socket>();
  const server: Server = createServer((request, response) => {
    request.resume();
    request.on("end", () => {
      applied++;
      response.end(`answer ${applied}`.padEnd(size, "."));
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on("connection", (socket) => {
    connections++;
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  const { port, close } = await startServer(server);
  return {
    port,
    get applied() {
      return applied;
    },
    get connections() {
      return connections;
    },
    closeConnections: () => {
      for (const socket of sockets) socket.end();
    },
    close,
  };
}

/** A raw client socket that remembers what happened to it. */
export interface RawClient {
  readonly socket: Socket;
  /** All received bytes, as text. */
  text: string;
  /** `open`, `ended` (FIN) or the code of the error that ended it. */
  state: string;
  /** Sends one small request. */
  request(body?: string): void;
  /** Waits until `check` holds; fails after `ms` milliseconds, 10,000 by default. */
  until(check: (client: RawClient) => boolean, ms?: number): Promise<void>;
}

/** Connects a raw client, over TLS with `ca` if given. It ends with the running test. */
export async function rawClient(port: number, ca?: string): Promise<RawClient> {
  const socket = ca
    ? connectTls({ port, host: "127.0.0.1", ca, servername: "localhost" })
    : connect({ port, host: "127.0.0.1" });
  forTest({ close: () => socket.destroy() });
  socket.setNoDelay(true);
  const client: RawClient = {
    socket,
    text: "",
    state: "open",
    request(body = "x") {
      socket.write(
        `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
      );
    },
    async until(check, ms = 10_000) {
      const end = performance.now() + ms;
      while (!check(client)) {
        if (performance.now() > end)
          throw new Error(`Still waiting: state ${client.state}, got ${client.text}`);
        await pause(2);
      }
    },
  };
  socket.on("data", (bytes) => {
    client.text += bytes.toString("latin1");
  });
  socket.on("end", () => {
    client.state = "ended";
  });
  socket.on("error", (error: NodeJS.ErrnoException) => {
    client.state = error.code ?? error.message;
  });
  await new Promise<void>((resolve) => {
    socket.once(ca ? "secureConnect" : "connect", () => resolve());
    socket.once("error", () => resolve());
  });
  return client;
}

/** Waits `ms` milliseconds. */
export const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Measures the times in ms until the response to the first request of a connection, opening included, and to the next request.
 * Returns the shortest of several, since load on the machine only adds time.
 * @param isEnough whether both are as short as expected
 */
export async function leastTimes(
  open: () => Promise<RawClient>,
  isEnough: (first: number, next: number) => boolean,
): Promise<{ first: number; next: number }> {
  const request = async (one: RawClient, begin: number) => {
    one.request();
    await new Promise((resolve) => one.socket.once("data", resolve));
    return performance.now() - begin;
  };
  let [first, next] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let round = 0; round < 40 && !(round >= 3 && isEnough(first, next)); round++) {
    const begin = performance.now();
    const one = await open();
    first = Math.min(first, await request(one, begin));
    next = Math.min(next, await request(one, performance.now()));
  }
  return { first, next };
}

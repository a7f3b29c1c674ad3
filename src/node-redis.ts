/**
 * Unmodified node-redis over HTTP, through a server on the loopback interface: `createClient((await startLoopback()).options)`.
 *
 * @module warmline/node-redis
 */
import { randomBytes } from "node:crypto";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { type ConnectorOptions, createContext } from "./connector/options.js";
import { RespStream } from "./connector/resp-stream.js";
import { ConfigError } from "./errors.js";

export type { ConnectorOptions } from "./connector/options.js";

const HOST = "127.0.0.1";

/** Options with which node-redis connects to the loopback server. */
export interface LoopbackOptions {
  /** The address of the server. */
  readonly socket: { readonly host: string; readonly port: number };
  /** The password of the server, without which other processes cannot use it. */
  readonly password: string;
  /** The protocol: RESP3 is not available over HTTP. */
  readonly RESP: 2;
}

/** A server on the loopback interface that speaks Redis's protocol and sends commands as HTTP requests. */
export interface Loopback {
  /** Options for `createClient()`. Spread them to add others. */
  readonly options: LoopbackOptions;
  /** Address and password as a URL, `redis://default:...@127.0.0.1:...`. RESP2 must be set apart from it. */
  readonly url: string;
  /** Ends the server and its connections. */
  close(): Promise<void>;
}

/**
 * Starts a server on 127.0.0.1, on a free port and with a random password, that forwards commands to warmline-gateway. It
 * does not keep the process alive.
 *
 * A command whose response was lost rejects with an error that begins with `UNKNOWNOUTCOME`. A command that was not sent
 * rejects with `UNSENT`. The connection of node-redis stays open.
 * @param options if `url` and `token` are missing, they are read from the environment.
 * @throws ConfigError if an option is unknown or malformed, or url or token is missing; Error if no port is free.
 */
export async function startLoopback(options: ConnectorOptions = {}, ...surplus: []): Promise<Loopback> {
  const context = createContext("startLoopback", options, surplus);
  if (context instanceof ConfigError) throw context;
  const credentials = { username: "default", password: randomBytes(32).toString("base64url") };
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    const stream = new RespStream(context, credentials);
    socket.unref();
    socket
      .on("error", () => {})
      .on("close", () => {
        sockets.delete(socket);
        stream.destroy();
      });
    // The client sees the socket close; each command has its error by then.
    stream.on("error", () => {}).on("close", () => socket.destroySoon());
    socket.pipe(stream).pipe(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, HOST, resolve);
  });
  // A connection that can't be accepted is closed, which its client sees.
  server.removeAllListeners("error").on("error", () => {});
  server.unref();
  const { port } = server.address() as AddressInfo;
  const { username, password } = credentials;
  return {
    options: { socket: { host: HOST, port }, password, RESP: 2 },
    url: `redis://${username}:${password}@${HOST}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
}

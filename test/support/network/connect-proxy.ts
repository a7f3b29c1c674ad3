import { createServer, type IncomingMessage } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { connect, type Socket } from "node:net";
import { startServer } from "../start-server.js";

export interface ConnectProxyOptions {
  /** `user:password` that a request must bring. */
  readonly credentials?: string;
  /** The certificate of a proxy that uses TLS. */
  readonly tls?: { readonly cert: string; readonly key: string };
  /** The port of this machine to which every tunnel leads. Default: the host and port of the request. */
  readonly to?: number;
}

/** A proxy that opens tunnels by CONNECT (RFC 9110, section 9.3.6), and nothing else. */
export interface ConnectProxy {
  readonly url: string;
  /** The authorities that tunnels were opened to, in order. */
  readonly tunnels: readonly string[];
  /** The statuses of refused requests. */
  readonly refused: readonly number[];
  close(): Promise<void>;
}

export async function startConnectProxy({
  credentials,
  tls,
  to,
}: ConnectProxyOptions = {}): Promise<ConnectProxy> {
  const server = tls ? createTlsServer(tls) : createServer();
  const tunnels: string[] = [];
  const refused: number[] = [];
  const expected = credentials && `Basic ${Buffer.from(credentials).toString("base64")}`;
  server.on("connect", ({ url, headers }: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => {});
    if (expected && headers["proxy-authorization"] !== expected) {
      refused.push(407);
      socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="test"\r\n\r\n',
      );
      return;
    }
    const [, host, port] = /^\[?(.*?)\]?:(\d+)$/.exec(url!)!;
    const upstream = connect(to ?? Number(port), to ? "127.0.0.1" : host, () => {
      tunnels.push(url!);
      socket.write("HTTP/1.1 200 Connection Established\r\n\r\n");
      upstream.write(head);
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on("error", () => socket.destroy()).on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });
  const { port, close } = await startServer(server);
  return {
    url: `${tls ? "https" : "http"}://${credentials ? `${credentials}@` : ""}localhost:${port}`,
    tunnels,
    refused,
    close,
  };
}

import { connect } from "node:net";
import { createServer, type TlsOptions } from "node:tls";
import { startServer } from "../start-server.js";

/** A TLS server that passes decrypted bytes on to a local port. */
export interface TlsFront {
  readonly url: string;
  /** For each connection, whether it resumed a TLS session. */
  readonly resumed: readonly boolean[];
  close(): Promise<void>;
}

/** @param options `requestCert` and `ca` for clients that must show a certificate. */
export async function startTlsFront(to: string, options: TlsOptions): Promise<TlsFront> {
  const resumed: boolean[] = [];
  const server = createServer(options, (socket) => {
    resumed.push(socket.isSessionReused());
    const upstream = connect(Number(new URL(to).port), "127.0.0.1");
    for (const each of [socket, upstream]) each.on("error", () => {});
    upstream.pipe(socket).pipe(upstream);
    upstream.on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });
  server.on("tlsClientError", () => {});
  const { port, close } = await startServer(server);
  return { resumed, url: `https://localhost:${port}`, close };
}

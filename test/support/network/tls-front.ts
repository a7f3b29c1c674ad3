import { type AddressInfo, connect, type Socket } from "node:net";
import { createServer, type TlsOptions } from "node:tls";

/** A TLS server that passes decrypted bytes on to a local port. */
export interface TlsFront {
  readonly url: string;
  /** For each connection, whether it resumed a TLS session. */
  readonly resumed: readonly boolean[];
  close(): Promise<void>;
}

/** @param options `requestCert` and `ca` for clients that must show a certificate. */
export async function startTlsFront(to: string, options: TlsOptions): Promise<TlsFront> {
  const sockets = new Set<Socket>();
  const resumed: boolean[] = [];
  const server = createServer(options, (socket) => {
    resumed.push(socket.isSessionReused());
    const upstream = connect(Number(new URL(to).port), "127.0.0.1");
    for (const each of [socket, upstream]) sockets.add(each.on("error", () => {}));
    upstream.pipe(socket).pipe(upstream);
    upstream.on("close", () => socket.destroy());
    socket.on("close", () => upstream.destroy());
  });
  server.on("tlsClientError", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    resumed,
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import type { AddressInfo, Server, Socket } from "node:net";

/** A server that listens on a free port of this machine. */
export interface StartedServer {
  readonly port: number;
  /** Ends its connections, and stops listening. */
  close(): Promise<void>;
}

export async function startServer(server: Server): Promise<StartedServer> {
  const sockets = new Set<Socket>();
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

import type { Server } from "node:net";

/** The next port to try. Each process begins at a random one. */
let nextPort = 12_000 + Math.floor(Math.random() * 10_000);

/**
 * Makes a server listen on a port that no server of this process had before. Clients remember what they know of a URL as long
 * as the process lives, so a server on the port of an earlier gateway would get numbered requests. These ports are below
 * 32,768, where the ports that the system chooses begin.
 */
export async function listenApart(server: Server): Promise<void> {
  for (;;) {
    const port = nextPort++;
    const isListening = await new Promise<boolean>((resolve, reject) => {
      const onError = (error: NodeJS.ErrnoException) =>
        error.code === "EADDRINUSE" ? resolve(false) : reject(error);
      server.once("error", onError);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", onError);
        resolve(true);
      });
    });
    if (isListening) return;
  }
}

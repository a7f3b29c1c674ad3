import type { Server } from "node:net";

/** The next port to try: each process begins elsewhere. */
let nextPort = 12_000 + Math.floor(Math.random() * 10_000);

/**
 * Makes a server listen on a port that no server of this process had before: a client knows an endpoint by its URL for as
 * long as the process lives, so one at the port of a former gateway would get numbered requests. The system gives out
 * ports above 32,767.
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

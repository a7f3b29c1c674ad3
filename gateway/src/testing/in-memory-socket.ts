import type { Socket } from "node:net";
import { type Duplex, duplexPair } from "node:stream";

/** Returns the ends of a connection within the process: the client's, and the server's. */
export function connectInMemory(): { client: Duplex; server: Socket } {
  const [client, end] = duplexPair();
  // The client's end closes when the response has ended, as that of any HTTP client.
  client.allowHalfOpen = false;
  closeTogether(client, end);
  closeTogether(end, client);
  const write = end._write.bind(end);
  const server = Object.assign(end, {
    /** The address that a local client has. */
    remoteAddress: "127.0.0.1",
    bytesRead: 0,
    bytesWritten: 0,
    _write(chunk: Buffer, encoding: BufferEncoding, done: () => void) {
      server.bytesWritten += chunk.length;
      write(chunk, encoding, done);
    },
    /** Closes the connection so that the other end sees an incomplete response. */
    resetAndDestroy() {
      client.destroy(new Error("the connection was reset"));
      return server.destroy();
    },
  });
  // Connections use no other members of a socket.
  return { client, server: server as unknown as Socket };
}

/** Closes an end when the other one is closed. After an orderly end there is nothing to report. */
function closeTogether(one: Duplex, other: Duplex): void {
  one.once("close", () => {
    if (!one.writableFinished) other.destroy(one.errored ?? undefined);
  });
}

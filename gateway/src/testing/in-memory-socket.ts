import type { Socket } from "node:net";
import { Duplex } from "node:stream";

/** One end of a connection within the process. What one end writes, the other reads. */
class InMemorySocket extends Duplex {
  /** The address that a local client has. */
  readonly remoteAddress = "127.0.0.1";
  readonly bytesRead = 0;
  bytesWritten = 0;
  #other!: InMemorySocket;
  /** Lets the other end write on. Called once this end reads on. */
  #resume: (() => void) | undefined;

  static pair(): [client: InMemorySocket, server: InMemorySocket] {
    // The client's end closes when the response has ended, as that of any HTTP client.
    const client = new InMemorySocket({ allowHalfOpen: false });
    const server = new InMemorySocket();
    client.#other = server;
    server.#other = client;
    return [client, server];
  }

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const other = this.#other;
    this.bytesWritten += chunk.length;
    if (other.destroyed || other.push(chunk)) done();
    else other.#resume = done;
  }

  override _final(done: () => void): void {
    if (!this.#other.destroyed) this.#other.push(null);
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    done(error);
    const other = this.#other;
    // After an orderly end there is nothing to report.
    if (!other.destroyed && !this.writableFinished) other.destroy(error ?? undefined);
  }

  /** Closes the connection so that the other end sees an incomplete response. */
  resetAndDestroy(): this {
    this.#other.destroy(new Error("the connection was reset"));
    return this.destroy();
  }
}

/** Returns the ends of a connection within the process: the client's, and the server's. */
export function connectInMemory(): { client: Duplex; server: Socket } {
  const [client, server] = InMemorySocket.pair();
  // Connections use no other members of a socket.
  return { client, server: server as unknown as Socket };
}

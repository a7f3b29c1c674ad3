import { Duplex } from "node:stream";
import type { Credentials } from "./connection-state.js";
import type { ConnectorContext } from "./options.js";
import { Session } from "./session.js";

/**
 * A Redis connection over HTTP as a stream: commands in RESP2 are written to it, replies are read from it. It has the
 * methods of a socket that Redis clients call. They have no effect, since there is no socket.
 */
export class RespStream extends Duplex {
  readonly connecting = false;
  readonly setNoDelay = () => this;
  readonly setKeepAlive = this.setNoDelay;
  readonly setTimeout = this.setNoDelay;
  readonly ref = this.setNoDelay;
  readonly unref = this.setNoDelay;
  readonly #session: Session;

  /** @param credentials the credentials that AUTH requires before other commands. Undefined: no AUTH is required. */
  constructor(context: ConnectorContext, credentials?: Credentials) {
    super();
    this.#session = new Session(
      context,
      {
        onOutput: (bytes) => this.push(bytes),
        onEnd: (cause) => this.#onEnd(cause),
      },
      credentials,
    );
  }

  /** Gives every outstanding command an error reply before the stream closes. */
  override destroy(error?: Error): this {
    this.#session.end(error);
    return super.destroy(error);
  }

  override _read(): void {
    this.#session.onDrain();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#session.onInput(chunk);
    done();
  }

  override _final(done: () => void): void {
    done();
    this.#session.onInputEnd();
  }

  #onEnd(cause: Error | undefined): void {
    // Output that is not read before the stream is destroyed is lost.
    if (this.readableFlowing) while (this.read() !== null);
    if (this.destroyed) return;
    this.push(null);
    setImmediate(() => super.destroy(cause));
  }
}

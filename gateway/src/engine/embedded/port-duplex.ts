import { Duplex } from "node:stream";
import type { MessagePort } from "node:worker_threads";
import { joinBytes } from "../../util/join-bytes.js";
import { type PortMessage, WINDOW_BYTES } from "./messages.js";

/** The gateway's end of a connection to the embedded engine: a stream over a message port. */
export class PortDuplex extends Duplex {
  /** Bytes sent that the worker has not yet taken in. */
  #sent = 0;
  /** Called once the worker has taken in enough to go on writing. */
  #resume: (() => void) | undefined;
  /** Bytes passed on to the reader that are not acknowledged to the worker yet. */
  #taken = 0;
  /** The engine has ended this connection in good order. */
  #ended = false;

  /** @param onDestroy called at once when this end is given up */
  constructor(
    private readonly port: MessagePort,
    private readonly onDestroy: () => void,
  ) {
    super({ allowHalfOpen: false, writableHighWaterMark: WINDOW_BYTES });
    port.on("message", (message: PortMessage) => this.#receive(message));
    port.on("close", () => {
      if (!this.#ended && !this.destroyed) this.destroy(new Error("connection to the embedded engine lost"));
    });
  }

  override _writev(items: { chunk: Buffer }[], done: () => void): void {
    const bytes = joinBytes(items.map(({ chunk }) => chunk));
    this.#sent += bytes.length;
    this.port.postMessage(bytes satisfies PortMessage, [bytes.buffer]);
    if (this.#sent < WINDOW_BYTES) done();
    else this.#resume = done;
  }

  override _final(done: () => void): void {
    this.port.postMessage(null satisfies PortMessage);
    done();
  }

  override _read(): void {
    this.#acknowledge();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.onDestroy();
    this.port.close();
    done(error);
  }

  #receive(message: PortMessage): void {
    if (this.destroyed) return;
    if (typeof message === "number") {
      this.#sent -= message;
      if (this.#sent < WINDOW_BYTES) {
        const resume = this.#resume;
        this.#resume = undefined;
        resume?.();
      }
      return;
    }
    if (message === null) {
      this.#ended = true;
      this.push(null);
      return;
    }
    this.#taken += message.length;
    const bytes = Buffer.from(message.buffer, message.byteOffset, message.byteLength);
    // A slow reader calls _read when it is ready. Only then are the bytes acknowledged to the worker.
    if (this.push(bytes)) this.#acknowledge();
  }

  /** Acknowledges bytes seldom, since each message costs more than the bytes of a small reply. */
  #acknowledge(): void {
    if (this.#taken < WINDOW_BYTES / 2) return;
    this.port.postMessage(this.#taken satisfies PortMessage);
    this.#taken = 0;
  }
}

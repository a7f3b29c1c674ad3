import type { Socket } from "node:net";
import { now, runAt } from "./clock.js";

/**
 * One direction of a connection. It writes bytes to `target` after a delay, in order. The end of the stream and a reset are delayed
 * like bytes, as on a real path.
 */
export class DelayedStream {
  readonly #target: Socket;
  readonly #delayMs: number;
  readonly #onFull: () => void;
  #pending = 0;
  #notBefore: number;

  /**
   * @param target the socket that gets the bytes
   * @param delayMs delay of each byte in ms
   * @param firstAt time (`now()`) of the end of the handshake; no byte is sent before it
   * @param onFull called when `target` takes bytes more slowly than they arrive
   */
  constructor(target: Socket, delayMs: number, firstAt: number, onFull: () => void) {
    this.#target = target;
    this.#delayMs = delayMs;
    this.#onFull = onFull;
    this.#notBefore = firstAt + delayMs;
  }

  /** Sends bytes. */
  send(bytes: Uint8Array): void {
    this.#pass(() => {
      if (this.#target.writable && !this.#target.write(bytes)) this.#onFull();
    });
  }

  /** Calls `last` with the target after all bytes sent before: to end, reset or destroy it. */
  finish(last: (target: Socket) => void): void {
    this.#pass(() => {
      if (!this.#target.destroyed) last(this.#target);
    });
  }

  #pass(run: () => void): void {
    const time = now();
    const due = Math.max(time + this.#delayMs, this.#notBefore);
    if (due <= time && this.#pending === 0) {
      run();
      return;
    }
    this.#notBefore = due;
    this.#pending++;
    runAt(due, () => {
      this.#pending--;
      run();
    });
  }
}

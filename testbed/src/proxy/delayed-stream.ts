import type { Socket } from "node:net";
import { now, runAt } from "./clock.js";

/**
 * One direction of a connection: what goes in comes out of `target` after a delay, in order. The end of the stream
 * and a reset are delayed with the bytes before them, as on a real path.
 */
export class DelayedStream {
  private pending = 0;
  private notBefore: number;

  /**
   * @param target the socket that the bytes come out of
   * @param delayMs how long each byte is under way
   * @param firstAt nothing leaves before this time (`now()`); stands for a handshake still under way
   * @param onFull called when `target` takes bytes more slowly than they come
   */
  constructor(
    private readonly target: Socket,
    private readonly delayMs: number,
    firstAt: number,
    private readonly onFull: () => void,
  ) {
    this.notBefore = firstAt + delayMs;
  }

  /** Sends bytes. */
  send(bytes: Uint8Array): void {
    this.pass(() => {
      if (this.target.writable && !this.target.write(bytes)) this.onFull();
    });
  }

  /** After what was sent before, does `last` to the target: ends it, resets it, destroys it. */
  finish(last: (target: Socket) => void): void {
    this.pass(() => {
      if (!this.target.destroyed) last(this.target);
    });
  }

  private pass(run: () => void): void {
    const time = now();
    const due = Math.max(time + this.delayMs, this.notBefore);
    if (due <= time && this.pending === 0) {
      run();
      return;
    }
    this.notBefore = due;
    this.pending++;
    runAt(due, () => {
      this.pending--;
      run();
    });
  }
}

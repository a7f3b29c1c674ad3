import type { MessagePort } from "node:worker_threads";
import type { ConnectionTransport } from "js-redis-server/core";
import { joinBytes } from "../../util/join-bytes.js";
import { CommandFramer, FramingError } from "./command-framer.js";
import { type PortMessage, WINDOW_BYTES } from "./messages.js";

/** Time in ms that a connection's commands run before the thread looks for those of others. */
const TIME_SLICE = 10;

/** The engine's end of a connection: reads whole commands from a message port and writes replies to it. */
export class PortTransport implements ConnectionTransport {
  readonly id = "port";
  readonly #abort = new AbortController();
  /** Aborted when the connection has ended. */
  readonly signal = this.#abort.signal;
  readonly #framer: CommandFramer;
  readonly #input: Uint8Array[] = [];
  #inputEnded = false;
  #wakeReader: (() => void) | undefined;
  /** When this connection's commands began to run without a turn of the event loop. */
  #begun = 0;
  #replies: Uint8Array[] = [];
  #flushing = false;
  /** Reply bytes that the reader has not yet taken in. */
  #sent = 0;
  readonly #writers: (() => void)[] = [];

  /** @param beforeCommands called before commands are handed on */
  constructor(
    private readonly port: MessagePort,
    maxCommandBytes: number,
    private readonly beforeCommands: () => void,
  ) {
    this.#framer = new CommandFramer(maxCommandBytes);
    port.on("message", (message: PortMessage) => this.#receive(message));
    port.on("close", () => this.close());
  }

  async *read(): AsyncGenerator<Buffer> {
    for (;;) {
      const bytes = this.#input.shift();
      if (bytes === undefined) {
        if (this.#inputEnded || this.signal.aborted) return;
        await new Promise<void>((resolve) => {
          this.#wakeReader = resolve;
        });
        // Otherwise it is still the same turn of the event loop, in which Node hands out many messages.
        if (!this.#flushing) this.#begun = performance.now();
        continue;
      }
      try {
        const chunk = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
        for (const commands of this.#framer.push(chunk)) {
          this.beforeCommands();
          yield commands;
        }
      } catch (error) {
        if (!(error instanceof FramingError)) throw error;
        await this.write(Buffer.from(`-ERR ${error.message}\r\n`));
        this.close();
        return;
      }
      if (!this.signal.aborted) this.port.postMessage(bytes.length satisfies PortMessage);
    }
  }

  /** Keeps a reply until the end of this iteration of the event loop. Waits while the reader is far behind, or to let others run. */
  write(chunk: Buffer): void | Promise<void> {
    if (this.signal.aborted) return;
    this.#replies.push(chunk);
    this.#sent += chunk.length;
    if (!this.#flushing) {
      this.#flushing = true;
      setImmediate(() => this.#flush());
    }
    if (this.#sent < WINDOW_BYTES) {
      if (performance.now() - this.#begun >= TIME_SLICE) return this.#giveWay();
      return;
    }
    this.#flush();
    return new Promise((resolve) => this.#writers.push(resolve));
  }

  async #giveWay(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#begun = performance.now();
  }

  close(): void {
    if (this.signal.aborted) return;
    this.#flush();
    this.port.postMessage(null satisfies PortMessage);
    this.#abort.abort();
    this.port.close();
    this.#wakeReader?.();
    this.#release();
  }

  /** Part of the interface. The library does not call it: {@link signal} shows the end. */
  on(): () => void {
    return () => {};
  }

  #receive(message: PortMessage): void {
    if (typeof message === "number") {
      this.#sent -= message;
      if (this.#sent < WINDOW_BYTES) this.#release();
      return;
    }
    if (message === null) this.#inputEnded = true;
    else this.#input.push(message);
    this.#wakeReader?.();
  }

  #flush(): void {
    this.#flushing = false;
    if (this.#replies.length === 0 || this.signal.aborted) return;
    const bytes = joinBytes(this.#replies);
    this.#replies = [];
    this.port.postMessage(bytes satisfies PortMessage, [bytes.buffer]);
  }

  #release(): void {
    for (const resume of this.#writers.splice(0)) resume();
  }
}

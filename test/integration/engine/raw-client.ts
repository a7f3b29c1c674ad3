import type { Duplex } from "node:stream";
import { encodeCommand, RespError, RespReader } from "../../../testbed/src/redis/resp.js";

/** A minimal Redis client over a stream: arguments in, decoded replies out, in order. */
export class RawClient {
  readonly stream: Duplex;
  readonly #reader = new RespReader();
  #waiting: { resolve: (reply: unknown) => void; reject: (error: Error) => void }[] = [];
  /** Replies to no request, such as messages of a subscription. */
  readonly pushed: unknown[] = [];
  /** Settles once the stream has closed, with the error that ended it if there was one. */
  readonly closed: Promise<Error | undefined>;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.on("data", (bytes: Buffer) => this.#receive(bytes));
    let failure: Error | undefined;
    stream.on("error", (error) => {
      failure = error;
    });
    this.closed = new Promise((resolve) => {
      stream.on("close", () => {
        resolve(failure);
        for (const { reject } of this.#waiting) reject(failure ?? new Error("connection closed"));
        this.#waiting = [];
      });
    });
  }

  /** Sends one command; resolves with its reply, rejects with its error reply or when the stream ends. */
  call(...args: (string | number | Buffer)[]): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.stream.write(encodeCommand(args));
    });
  }

  #receive(bytes: Buffer): void {
    for (const reply of this.#reader.push(bytes)) {
      const next = this.#waiting.shift();
      if (next === undefined) this.pushed.push(reply);
      else if (reply instanceof RespError) next.reject(reply);
      else next.resolve(reply);
    }
  }
}

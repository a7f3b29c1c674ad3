import type { Duplex } from "node:stream";
import { RedisReplyError, readReply } from "./read-reply.js";

/** A minimal Redis client over a stream: arguments in, decoded replies out, in order. */
export class RawClient {
  readonly stream: Duplex;
  #buffered = Buffer.alloc(0);
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
      this.stream.write(encode(args));
    });
  }

  #receive(bytes: Buffer): void {
    this.#buffered = Buffer.concat([this.#buffered, bytes]);
    for (;;) {
      const read = readReply(this.#buffered, 0);
      if (read === undefined) return;
      this.#buffered = this.#buffered.subarray(read.end);
      const next = this.#waiting.shift();
      if (next === undefined) this.pushed.push(read.reply);
      else if (read.reply instanceof RedisReplyError) next.reject(read.reply);
      else next.resolve(read.reply);
    }
  }
}

/** One command as a RESP array of bulk strings. */
export function encode(args: readonly (string | number | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${args.length}\r\n`)];
  for (const word of args) {
    const bytes = Buffer.isBuffer(word) ? word : Buffer.from(String(word));
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n"));
  }
  return Buffer.concat(parts);
}

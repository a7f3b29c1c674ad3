import type { Command } from "./command.js";
import { RedisSocket, type RedisSocketOptions } from "./redis-socket.js";

/** How a feed's connection is made; connecting may take as long as a command. */
export interface FeedOptions extends Omit<RedisSocketOptions, "patience"> {
  /** How long connecting and the handshake may take, in ms. */
  readonly timeout: number;
}

/** Whoever reads a feed. */
export interface FeedReader {
  /** The connection is up; only now may anything be sent. */
  onUp(): void;
  /** A reply, asked for or not; null stands for one that was too large. */
  onReply(reply: Buffer | null): void;
  /** The connection ended or could not be had. Called once, and not after {@link Feed.close}. */
  onDown(trouble: string): void;
}

/** One connection to Redis on which replies come unasked: for subscriptions and MONITOR. It is not made again. */
export class Feed {
  readonly #socket: RedisSocket;
  readonly #options: FeedOptions;

  constructor(options: FeedOptions, reader: FeedReader) {
    this.#options = options;
    this.#socket = new RedisSocket(
      { ...options, patience: options.timeout },
      {
        onUp: () => reader.onUp(),
        onReply: (reply) => reader.onReply(reply),
        onDrain: () => {},
        onDown: (trouble) => reader.onDown(trouble),
      },
    );
  }

  /** Connects. The reader is never called before this returns. */
  open(): void {
    this.#socket.open();
  }

  /** Sends a command, once the connection is up. Those of one turn go out together. */
  send(command: Command): void {
    this.#options.counters.commands++;
    this.#socket.send(command);
  }

  /** Ends the connection in silence. */
  close(): void {
    this.#socket.close();
  }
}

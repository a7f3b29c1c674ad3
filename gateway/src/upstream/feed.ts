import type { Duplex } from "node:stream";
import type { Command } from "./command.js";
import { Framer, MalformedReply } from "./framer.js";
import { isUserWithoutPing, type PipeCounters, reasonOf } from "./pipe.js";

const MINUS = 0x2d;

/** How a feed's connection is made. */
export interface FeedOptions {
  readonly connect: () => Duplex;
  /** Commands that the connection must have answered without an error before any other is sent. */
  readonly handshake: readonly Command[];
  /** How long connecting and the handshake may take, in ms. */
  readonly timeout: number;
  /** The largest reply passed on, in bytes. */
  readonly maxReply: number;
  readonly counters: PipeCounters;
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
  readonly #options: FeedOptions;
  readonly #reader: FeedReader;
  readonly #framer: Framer;
  #socket: Duplex | null = null;
  #handshake: number;
  #timer: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(options: FeedOptions, reader: FeedReader) {
    this.#options = options;
    this.#reader = reader;
    this.#framer = new Framer(options.maxReply);
    this.#handshake = options.handshake.length;
  }

  /** Connects. The reader is never called before this returns. */
  open(): void {
    const { connect, handshake, timeout } = this.#options;
    try {
      this.#socket = connect();
    } catch (error) {
      process.nextTick(() => this.#down(reasonOf(error)));
      return;
    }
    const socket = this.#socket;
    let trouble = "it ended the connection";
    const over = () => this.#down(trouble);
    socket.on("error", (error) => {
      trouble = reasonOf(error);
    });
    socket.on("end", over);
    socket.on("close", over);
    socket.on("data", (chunk: Buffer) => {
      if (this.#ended) return;
      try {
        this.#framer.push(chunk, this.#onReply);
      } catch (error) {
        if (!(error instanceof MalformedReply)) throw error;
        this.#down(`it sent ${error.message}`);
      }
    });
    this.#timer = setTimeout(() => this.#down("it did not answer in time"), timeout);
    socket.write(Buffer.concat(handshake.map((command) => command.bytes)));
  }

  /** Sends a command, once the connection is up. Those of one turn go out together. */
  send(command: Command): void {
    const socket = this.#socket;
    if (!socket) return;
    this.#options.counters.commands++;
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(() => socket.uncork());
    }
    socket.write(command.bytes);
  }

  /** Ends the connection in silence. */
  close(): void {
    this.#ended = true;
    clearTimeout(this.#timer);
    this.#socket?.destroy();
  }

  #onReply = (reply: Buffer | null): void => {
    // One reply may have ended the feed while others lie in the same chunk.
    if (this.#ended) return;
    if (this.#handshake === 0) {
      this.#reader.onReply(reply);
      return;
    }
    const { handshake, counters } = this.#options;
    const asked = handshake[handshake.length - this.#handshake]!;
    if (reply?.[0] === MINUS && !isUserWithoutPing(asked, reply)) {
      this.#down(`it answered ${reply.toString("utf8", 1, reply.length - 2)}`);
      return;
    }
    if (--this.#handshake > 0) return;
    clearTimeout(this.#timer);
    counters.opened++;
    this.#reader.onUp();
  };

  #down(trouble: string): void {
    if (this.#ended) return;
    if (this.#handshake === 0) this.#options.counters.lost++;
    this.close();
    this.#reader.onDown(trouble);
  }
}

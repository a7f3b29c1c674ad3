import type { Command } from "../resp/command.js";
import { RedisSocket, type RedisSocketOptions } from "./redis-socket.js";

/** Options of a {@link PushConnection}. */
export interface PushConnectionOptions extends Omit<RedisSocketOptions, "connectTimeout"> {
  /** Timeout in ms for connecting and the handshake. */
  readonly timeout: number;
}

/** Callbacks of a {@link PushConnection}. */
export interface PushConnectionHandler {
  /** The connection is up; only now may anything be sent. */
  onUp(): void;
  /** A reply or a push message. Null stands for one that was too large. */
  onReply(reply: Buffer | null): void;
  /** The connection ended or could not be had. Called once, and not after {@link PushConnection.close}. */
  onDown(reason: string): void;
}

/** One connection to Redis on which replies come unasked: for subscriptions and MONITOR. It is not made again. */
export class PushConnection {
  readonly #socket: RedisSocket;
  readonly #options: PushConnectionOptions;

  constructor(options: PushConnectionOptions, handler: PushConnectionHandler) {
    this.#options = options;
    this.#socket = new RedisSocket(
      { ...options, connectTimeout: options.timeout },
      {
        onUp: () => handler.onUp(),
        onReply: (reply) => handler.onReply(reply),
        onDrain: () => {},
        onDown: (reason) => handler.onDown(reason),
      },
    );
  }

  /** Connects. The reader is never called before this returns. */
  open(): void {
    this.#socket.open();
  }

  /** Sends a command, once the connection is up. Those of one iteration of the event loop go out together. */
  send(command: Command): void {
    this.#options.counters.commands++;
    this.#socket.send(command);
  }

  /** Ends the connection in silence. */
  close(): void {
    this.#socket.close();
  }
}

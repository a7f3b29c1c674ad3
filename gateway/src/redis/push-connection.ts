import { RedisSocket, type RedisSocketHandler, type RedisSocketOptions } from "./redis-socket.js";

export interface PushConnectionOptions extends Omit<RedisSocketOptions, "connectTimeout"> {
  /** Timeout in ms for connecting and the handshake. */
  readonly timeout: number;
}

/** One connection to Redis on which replies come unasked: for subscriptions and MONITOR. It is not made again. */
export class PushConnection extends RedisSocket {
  constructor(options: PushConnectionOptions, handler: RedisSocketHandler) {
    super({ ...options, connectTimeout: options.timeout }, handler);
  }
}

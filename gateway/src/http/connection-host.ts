import type { Exchange } from "../api/exchange.js";
import type { BufferBudget } from "../util/buffer-budget.js";
import type { Connection } from "./connection.js";
import type { ResponseHeads } from "./response-head.js";

/** The parts of a server that its connections and exchanges use. */
export interface ConnectionHost {
  readonly heads: ResponseHeads;
  /** The limit on bytes buffered for all requests together. */
  readonly budget: BufferBudget;
  /** Whether the server is closing, so that no connection is kept. */
  readonly draining: boolean;
  /** Takes a request whose head has arrived. Never throws. */
  handle(exchange: Exchange): void;
  /** An exchange is over. `status` is 0 when it had no response. */
  settled(exchange: Exchange, status: number): void;
  /** The gateway itself failed on a request. */
  failed(error: unknown): void;
  /** A request on this connection has begun. */
  busy(connection: Connection): void;
  /** Records that the response on this connection is complete. */
  idle(connection: Connection): void;
  /** This connection has closed. */
  closed(connection: Connection): void;
}

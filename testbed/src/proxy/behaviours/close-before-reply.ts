import type { Fault } from "../proxied-connection.js";
import { type Ending, end } from "./ending.js";

/**
 * Closes (default) or resets the connection as soon as the request is complete, before any response. With `deliver` (default) the
 * server still gets the request and may apply it; without it, the server never gets it.
 */
export function closeBeforeReply(options: { deliver?: boolean; leave?: Ending } = {}): Fault {
  return {
    request(connection, exchange) {
      if (options.deliver ?? true) connection.toServer(exchange.request);
      connection.discardResponses();
      end(connection, options.leave ?? "close");
    },
  };
}

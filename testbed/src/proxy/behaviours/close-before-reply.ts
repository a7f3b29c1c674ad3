import type { Fault } from "../behaviour.js";
import { type Ending, end } from "./ending.js";

/**
 * The connection closes (default) or is reset as soon as the request is whole, before any response. With `deliver`
 * (default) the server gets the request all the same and may apply it; without, it never sees it.
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

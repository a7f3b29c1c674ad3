import type { Behaviour } from "../proxied-connection.js";

/**
 * Drops all bytes in both directions from a moment on; the connection stays open. The moment is `"open"`, the first byte
 * of request `n` (which the server never receives), or the end of the response to request `responded`.
 */
export function blackhole(from: "open" | { request: number } | { responded: number }): Behaviour {
  if (from === "open") return { opened: (connection) => connection.blackhole() };
  if ("request" in from) {
    return {
      requestStarted(connection, number) {
        if (number === from.request) connection.blackhole();
      },
    };
  }
  return {
    responded(connection, exchange) {
      if (exchange.number === from.responded) connection.blackhole();
    },
  };
}

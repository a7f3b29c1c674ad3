import type { Behaviour } from "../proxied-connection.js";

/**
 * After the response to request `after` (0: from the start) the server loses the connection without a FIN or RST to the
 * client. The client's next bytes get a reset, as from a restarted host, or nothing.
 */
export function halfOpen(options: { after: number; next?: "reset" | "nothing" }): Behaviour {
  const next = options.next ?? "reset";
  if (options.after === 0) return { opened: (connection) => connection.dropFlow(next) };
  return {
    responded(connection, exchange) {
      if (exchange.number === options.after) connection.dropFlow(next);
    },
  };
}

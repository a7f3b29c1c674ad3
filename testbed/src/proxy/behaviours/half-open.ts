import type { Behaviour } from "../behaviour";

/**
 * Once request `after` is answered (0: from the start) the server loses the connection and the client is not told:
 * half open. What the client then sends is answered with a reset, as a restarted host does, or with nothing.
 */
export function halfOpen(options: { after: number; next?: "reset" | "nothing" }): Behaviour {
  const next = options.next ?? "reset";
  if (options.after === 0) return { opened: (link) => link.dropFlow(next) };
  return {
    responded(link, exchange) {
      if (exchange.number === options.after) link.dropFlow(next);
    },
  };
}

import type { Behaviour } from "../proxied-connection.js";

/**
 * Loses the server's FIN, so that the connection stays open for the client. The client's next bytes get a reset (default)
 * or nothing.
 */
export function loseFin(options: { next?: "reset" | "nothing" } = {}): Behaviour {
  return {
    serverEnded: (connection) => connection.dropFlow(options.next ?? "reset"),
  };
}

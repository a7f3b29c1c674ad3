import type { Behaviour } from "../behaviour";

/**
 * When the server closes the connection its FIN is lost: the client goes on thinking that it is open. What it then
 * sends is answered with a reset (default) or with nothing.
 */
export function loseFin(options: { next?: "reset" | "nothing" } = {}): Behaviour {
  return {
    serverEnded: (link) => link.dropFlow(options.next ?? "reset"),
  };
}

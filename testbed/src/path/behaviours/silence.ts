import type { Behaviour } from "../../proxy/behaviour";

/**
 * From a moment on nothing passes either way and the connection stays open: from its `"open"`, from the first byte of
 * request `n` (which the server never sees), or once request `n` has been `answered`.
 */
export function silence(from: "open" | { request: number } | { answered: number }): Behaviour {
  if (from === "open") return { opened: (link) => link.silence() };
  if ("request" in from) {
    return {
      requestStarted(link, number) {
        if (number === from.request) link.silence();
      },
    };
  }
  return {
    responded(link, exchange) {
      if (exchange.number === from.answered) link.silence();
    },
  };
}

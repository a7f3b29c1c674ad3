import type { Behaviour } from "../behaviour";

/**
 * From a moment on nothing passes either way and the connection stays open: from its `"open"`, from the first byte of
 * request `n` (which the server never sees), or once request `n` has been `responded`.
 */
export function blackhole(from: "open" | { request: number } | { responded: number }): Behaviour {
  if (from === "open") return { opened: (link) => link.blackhole() };
  if ("request" in from) {
    return {
      requestStarted(link, number) {
        if (number === from.request) link.blackhole();
      },
    };
  }
  return {
    responded(link, exchange) {
      if (exchange.number === from.responded) link.blackhole();
    },
  };
}

import type { Fault } from "../proxied-connection.js";
import { type Ending, end } from "./ending.js";

/**
 * The request reaches the server, and its response is lost. The connection then closes (default), is reset, or stays open
 * and silent. With `open` only this response is lost and later ones pass.
 */
export function loseReply(options: { leave?: Ending } = {}): Fault {
  return {
    response(connection, part) {
      if (part.last) end(connection, options.leave ?? "close");
    },
  };
}

import type { Fault } from "../behaviour";
import { type Ending, end } from "./ending";

/**
 * The request reaches the server and is answered; the answer is lost. The connection then closes (default), is reset,
 * or stays open without a word. With `open` only this answer is lost and later ones pass.
 */
export function loseReply(options: { leave?: Ending } = {}): Fault {
  return {
    response(link, part) {
      if (part.last) end(link, options.leave ?? "close");
    },
  };
}

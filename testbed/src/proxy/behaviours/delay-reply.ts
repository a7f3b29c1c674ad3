import type { Fault } from "../behaviour.js";

/** Delays the response by `ms` milliseconds. */
export function delayReply(ms: number): Fault {
  return {
    response(link, part) {
      link.after(ms, () => link.toClient(part.bytes));
    },
  };
}

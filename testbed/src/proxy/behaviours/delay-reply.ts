import type { Fault } from "../behaviour";

/** The answer comes `ms` milliseconds late. */
export function delayReply(ms: number): Fault {
  return {
    response(link, part) {
      link.after(ms, () => link.toClient(part.bytes));
    },
  };
}

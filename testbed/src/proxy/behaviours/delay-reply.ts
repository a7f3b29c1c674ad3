import type { Fault } from "../behaviour.js";

/** Delays the response by `ms` milliseconds. */
export function delayReply(ms: number): Fault {
  return {
    response(connection, part) {
      connection.after(ms, () => connection.toClient(part.bytes));
    },
  };
}

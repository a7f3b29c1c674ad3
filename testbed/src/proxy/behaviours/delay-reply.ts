import type { Fault } from "../proxied-connection.js";

/** Delays the response by `ms` milliseconds. */
export function delayReply(ms: number): Fault {
  return {
    response(connection, part) {
      connection.after(ms, () => connection.toClient(part.bytes));
    },
  };
}

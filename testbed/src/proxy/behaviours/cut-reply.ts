import type { Fault } from "../proxied-connection.js";
import { type Ending, end } from "./ending.js";

/**
 * Ends the response after `bytes` bytes, counted from the first byte of its head; a response of no more bytes passes unchanged. Then
 * the connection closes (default), is reset or stays open and silent.
 */
export function cutReply(options: { bytes: number; leave?: Ending }): Fault {
  return {
    response(connection, part) {
      const left = options.bytes - part.offset;
      if (part.bytes.length < left || (part.last && part.bytes.length === left)) {
        connection.toClient(part.bytes);
        return;
      }
      connection.toClient(part.bytes.subarray(0, Math.max(left, 0)));
      connection.discardResponses();
      end(connection, options.leave ?? "close");
    },
  };
}

import type { Fault } from "../proxied-connection.js";

/**
 * Sends unrequested bytes after the complete response: in the same write, or `delayMs` ms later, when the connection is
 * idle.
 */
export function extraBytes(bytes: Uint8Array | string, options: { delayMs?: number } = {}): Fault {
  const extra = Buffer.from(bytes as Uint8Array);
  return {
    response(connection, part) {
      if (!part.last) connection.toClient(part.bytes);
      else if (options.delayMs === undefined) connection.toClient(Buffer.concat([part.bytes, extra]));
      else {
        connection.toClient(part.bytes);
        connection.after(options.delayMs, () => connection.toClient(extra));
      }
    },
  };
}

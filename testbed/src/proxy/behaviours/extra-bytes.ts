import type { Fault } from "../behaviour.js";

/**
 * Sends unrequested bytes after the complete response: in the same write, or `delayMs` ms later, when the connection is
 * idle.
 */
export function extraBytes(bytes: Uint8Array | string, options: { delayMs?: number } = {}): Fault {
  const more = Buffer.from(bytes as Uint8Array);
  return {
    response(link, part) {
      if (!part.last) link.toClient(part.bytes);
      else if (options.delayMs === undefined) link.toClient(Buffer.concat([part.bytes, more]));
      else {
        link.toClient(part.bytes);
        link.after(options.delayMs, () => link.toClient(more));
      }
    },
  };
}

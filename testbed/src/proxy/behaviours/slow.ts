import type { Fault, ProxiedConnection } from "../proxied-connection.js";

/** The speed of {@link slow}. */
export interface SlowOptions {
  /** Bytes per portion. Default 1. */
  bytes?: number;
  /** Milliseconds between portions. Default 1. */
  everyMs?: number;
}

/** Sends the response slowly: `bytes` at a time, every `everyMs` milliseconds. */
export function slow(options: SlowOptions = {}): Fault {
  const portion = options.bytes ?? 1;
  const everyMs = options.everyMs ?? 1;
  const waiting = new WeakMap<ProxiedConnection, Buffer[]>();

  function trickle(connection: ProxiedConnection): void {
    const queue = waiting.get(connection)!;
    const head = queue.shift();
    if (!head) {
      waiting.delete(connection);
      return;
    }
    connection.toClient(head.subarray(0, portion));
    if (head.length > portion) queue.unshift(head.subarray(portion));
    connection.after(everyMs, () => trickle(connection));
  }

  return {
    response(connection, part) {
      const queue = waiting.get(connection);
      if (queue) queue.push(part.bytes);
      else {
        waiting.set(connection, [part.bytes]);
        trickle(connection);
      }
    },
  };
}

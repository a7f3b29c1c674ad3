import type { Fault } from "../behaviour.js";
import type { Link } from "../link.js";

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
  const waiting = new WeakMap<Link, Buffer[]>();

  function trickle(link: Link): void {
    const queue = waiting.get(link)!;
    const head = queue.shift();
    if (!head) {
      waiting.delete(link);
      return;
    }
    link.toClient(head.subarray(0, portion));
    if (head.length > portion) queue.unshift(head.subarray(portion));
    link.after(everyMs, () => trickle(link));
  }

  return {
    response(link, part) {
      const queue = waiting.get(link);
      if (queue) queue.push(part.bytes);
      else {
        waiting.set(link, [part.bytes]);
        trickle(link);
      }
    },
  };
}

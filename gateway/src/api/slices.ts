import type { Exchange } from "./exchange.js";

/** Commands of a batch that are processed in one slice. */
export const SLICE_COMMANDS = 250;

/**
 * Does long work for an exchange: calls `slice` until it returns false. The first call is made at once, and the event loop
 * runs between two calls. It ends early if the client no longer waits, or if `slice` throws. The error is then the response.
 */
export function runInSlices(exchange: Exchange, slice: () => boolean): void {
  if (exchange.abandoned) {
    exchange.unsent("ERR the request was cancelled");
    return;
  }
  let more = false;
  exchange.guard(() => {
    more = slice();
  });
  if (more) setImmediate(runInSlices, exchange, slice);
}

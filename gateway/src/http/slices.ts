import type { Exchange } from "./exchange.js";

/**
 * Does something long for an exchange: calls `slice` until it returns false. The event loop runs between two
 * calls; the first is made at once. It ends early when nobody waits for the response any more, or when `slice` throws, which
 * becomes the response.
 */
export function runInSlices(exchange: Exchange, slice: () => boolean): void {
  if (exchange.gone) return;
  let more = false;
  exchange.guard(() => {
    more = slice();
  });
  if (more) setImmediate(runInSlices, exchange, slice);
}

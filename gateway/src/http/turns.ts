import type { Exchange } from "./exchange.js";

/**
 * Does something long for an exchange: calls `turn` until it returns false. Other requests have their turns between two
 * calls; the first is made at once. It ends early when nobody waits for the response any more, or when `turn` throws, which
 * becomes the response.
 */
export function inTurns(exchange: Exchange, turn: () => boolean): void {
  if (exchange.gone) return;
  let more = false;
  exchange.guard(() => {
    more = turn();
  });
  if (more) setImmediate(inTurns, exchange, turn);
}

import type { Exchange } from "./exchange.js";

/** Commands or replies of one request that are dealt with at a time. */
export const TURN = 1_000;

/**
 * Does something long for an exchange: calls `turn` until it returns false. Other requests have their turns between two
 * calls; the first is made at once. It ends early when nobody waits for the answer any more, or when `turn` throws, which
 * becomes the answer.
 */
export function inTurns(exchange: Exchange, turn: () => boolean): void {
  if (exchange.gone) return;
  let more = false;
  exchange.guard(() => {
    more = turn();
  });
  if (more) setImmediate(inTurns, exchange, turn);
}

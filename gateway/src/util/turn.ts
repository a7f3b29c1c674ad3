let turn = 0;
/** Turns that are still to be counted. */
let left = 0;

/**
 * Returns the number of the current turn of the event loop. All bytes that one poll reads from sockets belong to one turn, and the
 * next poll begins the next turn, however long this one takes. Only the two turns after a call are counted.
 */
export function currentTurn(): number {
  if (left === 0) setImmediate(count);
  left = 2;
  return turn;
}

function count(): void {
  turn++;
  if (--left > 0) setImmediate(count);
}

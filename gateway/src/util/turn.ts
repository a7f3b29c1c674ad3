let turn = 0;
/** Turns that are still to be counted. */
let left = 0;

/**
 * Returns the number of the present turn of the event loop: what is read from sockets in one poll has one number, and what the next
 * poll brings the next one, however long the turn takes. Only the two turns after a call are counted.
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

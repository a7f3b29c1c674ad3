let turn = 0;
let isCounted = false;

/**
 * Returns the number of the present turn of the event loop, counted only while it is asked for: what is read from a socket in one
 * poll has one number, and what the next poll brings the next one, however long the turn takes.
 */
export function currentTurn(): number {
  if (!isCounted) {
    isCounted = true;
    setImmediate(() => {
      isCounted = false;
      turn++;
    });
  }
  return turn;
}

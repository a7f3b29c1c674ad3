// Runs callbacks with a precision of less than a millisecond. Node's timers count whole milliseconds, but half a round trip in a
// data centre is shorter. So a timer waits until 1.5 ms before the time. Then `setImmediate` polls, which keeps a core busy.

type Due = { at: number; run: () => void };

const POLL_MS = 1.5;

const due: Due[] = [];
let timer: NodeJS.Timeout | undefined;
let polling = false;

/** The monotonic clock, in milliseconds and fractions. */
export const now = (): number => performance.now();

/** Runs `run` at the time `at` of {@link now}, or as soon after it as the event loop allows. Ties keep their order. */
export function runAt(at: number, run: () => void): void {
  let place = due.length;
  while (place > 0 && due[place - 1]!.at > at) place--;
  due.splice(place, 0, { at, run });
  if (place === 0) arm();
}

function arm(): void {
  if (polling) return;
  clearTimeout(timer);
  timer = undefined;
  const first = due[0];
  if (!first) return;
  const rest = first.at - now();
  if (rest > POLL_MS) {
    timer = setTimeout(arm, Math.ceil(rest - POLL_MS));
  } else {
    polling = true;
    setImmediate(poll);
  }
}

function poll(): void {
  polling = false;
  const time = now();
  while (due.length > 0 && due[0]!.at <= time) due.shift()!.run();
  arm();
}

/**
 * Runs callbacks at points in time that are finer than a millisecond. Node's timers count whole milliseconds, and
 * half a round trip of a data centre is less than one. So a timer covers all but the last millisecond and a half, and
 * `setImmediate` polls the rest: a core is busy for that long, only while something is due.
 */
type Due = { at: number; run: () => void };

const POLL_MS = 1.5;

const due: Due[] = [];
let timer: NodeJS.Timeout | undefined;
let polling = false;

/** The monotonic clock, in milliseconds and fractions. */
export const now = (): number => performance.now();

/** Runs `run` at `at` (as {@link now} counts) or as soon after as the event loop allows; ties keep their order. */
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

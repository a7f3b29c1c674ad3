import { clearTimeout, setTimeout } from "../../util/timers.js";
import type { Timed, Timers } from "../transport.js";

/** Maximum number of timers kept for further calls. */
const MAX_IDLE = 64;

/** A timer that serves one call after another. Restarting it takes a fifth of the time of creating and clearing one. */
interface CallTimer {
  readonly ms: number;
  call: Timed | undefined;
  timeout?: NodeJS.Timeout;
}

/** Unused timers of `idleMs`. They are unref'd, so that they do not keep the process alive, and removed when they fire. */
const idle: CallTimer[] = [];
let idleMs = 0;

function fire(timer: CallTimer): void {
  const { call } = timer;
  timer.call = undefined;
  if (call) call.onTimeout();
  else idle.splice(idle.indexOf(timer), 1);
}

/** Timers of calls. Nearly all have the same duration, and nearly all are stopped before they fire. */
export const callTimers: Timers<CallTimer> = {
  start(ms, call) {
    // With deadlines each call has another duration: unused timers of earlier durations would stay until they fire.
    if (ms !== idleMs) for (const { timeout } of idle.splice(0)) clearTimeout(timeout);
    idleMs = ms;
    const reused = idle.pop();
    if (reused) {
      reused.call = call;
      reused.timeout!.refresh().ref();
      return reused;
    }
    const timer: CallTimer = { ms, call };
    timer.timeout = setTimeout(fire, ms, timer);
    return timer;
  },
  stop(timer) {
    if (!timer.call) return; // The timer has fired.
    timer.call = undefined;
    if (timer.ms === idleMs && idle.length < MAX_IDLE) {
      timer.timeout!.unref();
      idle.push(timer);
    } else clearTimeout(timer.timeout);
  },
};

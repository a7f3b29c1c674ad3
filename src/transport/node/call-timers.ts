import { clearTimeout, setTimeout } from "../../util/timers.js";
import type { Timed, Timers } from "../transport.js";

/** Maximum number of timers kept for further calls. */
const MAX_IDLE = 64;

/** A timer that is used by one call after another: to wind it up again takes a fifth of what making and ending one does. */
interface CallTimer {
  readonly ms: number;
  call: Timed | undefined;
  timeout?: NodeJS.Timeout;
}

/** Timers of one length that no call uses; unref'd, so that they keep no process alive, and gone once they fire. */
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
    // Deadlines give each call a time of its own: unused timers of other lengths would stay until they fire.
    if (ms !== idleMs) for (const { timeout } of idle.splice(0)) clearTimeout(timeout);
    idleMs = ms;
    const used = idle.pop();
    if (used) {
      used.call = call;
      used.timeout!.refresh().ref();
      return used;
    }
    const timer: CallTimer = { ms, call };
    timer.timeout = setTimeout(fire, ms, timer);
    return timer;
  },
  stop(timer) {
    // It has fired.
    if (!timer.call) return;
    timer.call = undefined;
    if (timer.ms === idleMs && idle.length < MAX_IDLE) {
      timer.timeout!.unref();
      idle.push(timer);
    } else clearTimeout(timer.timeout);
  },
};

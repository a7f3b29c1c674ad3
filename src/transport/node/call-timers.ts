import { clearTimeout, setTimeout } from "../../util/timers.js";
import type { Timed, Timers } from "../transport.js";

/** Maximum number of timers kept for further calls. */
const MAX_CACHED = 64;

/** Timers of one length that no call uses; unref'd, so that they keep no process alive, and gone once they fire. */
interface TimerCache {
  readonly ms: number;
  readonly idle: CallTimer[];
}

let cache: TimerCache | undefined;

/** A timer that is used by one call after another: to wind it up again takes a fifth of what making and ending one does. */
class CallTimer {
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly home: TimerCache,
    private call: Timed | undefined,
  ) {
    this.timer = setTimeout(fire, home.ms, this);
  }

  start(call: Timed): void {
    this.call = call;
    this.timer.refresh().ref();
  }

  stop(): void {
    // It has fired.
    if (!this.call) return;
    this.call = undefined;
    const { idle } = this.home;
    if (cache === this.home && idle.length < MAX_CACHED) {
      this.timer.unref();
      idle.push(this);
    } else this.clear();
  }

  clear(): void {
    clearTimeout(this.timer);
  }

  onFire(): void {
    const { call } = this;
    const { idle } = this.home;
    this.call = undefined;
    if (call) call.onTimeout();
    else idle.splice(idle.indexOf(this), 1);
  }
}

const fire = (timer: CallTimer) => timer.onFire();

/** The clocks of calls, which are nearly all as long and nearly never run down. */
export const callTimers: Timers<CallTimer> = {
  start(ms, call) {
    if (cache?.ms !== ms) {
      // Deadlines give each call a time of its own: unused timers of other lengths would stay until they fire.
      for (const timer of cache?.idle ?? []) timer.clear();
      cache = { ms, idle: [] };
    }
    const timer = cache.idle.pop();
    if (!timer) return new CallTimer(cache, call);
    timer.start(call);
    return timer;
  },
  stop: (timer) => timer.stop(),
};

/** The time and the timers of a part of the gateway. Tests replace the clock, so that they need not wait. */
export interface Clock {
  /** The monotonic time in ms. */
  now(): number;
  setTimeout(callback: () => void, ms: number): NodeJS.Timeout;
  setInterval(callback: () => void, ms: number): NodeJS.Timeout;
  /** Stops a timer of either kind. */
  clear(timer: NodeJS.Timeout | undefined): void;
}

export const systemClock: Clock = {
  now: () => performance.now(),
  setTimeout,
  setInterval,
  clear: clearTimeout,
};

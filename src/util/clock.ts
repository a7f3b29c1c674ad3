import { clearTimeout, setInterval, setTimeout } from "./timers.js";

/** A point in time on both clocks: the monotonic one can stand still over a snapshot, the wall clock can be set. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

/** The time and the timers of connections. Tests replace the clock, so that they need not wait. */
export interface Clock {
  moment(): Moment;
  /** Returns the ms since a moment of this clock. */
  elapsed(since: Moment): number;
  setTimeout(callback: () => void, ms: number): NodeJS.Timeout;
  setInterval(callback: () => void, ms: number): NodeJS.Timeout;
  /** Stops a timer of either kind. */
  clear(timer: NodeJS.Timeout | undefined): void;
}

/** Node's own clock. The first use of `performance` would load ten modules of Node during a cold start. */
const { hrtime } = (globalThis as { process?: { hrtime?: { bigint?(): bigint } } }).process ?? {};

/** Returns the time of the monotonic clock in ms. Its zero has no meaning. */
export function monotonicTime(): number {
  return hrtime?.bigint ? Number(hrtime.bigint()) / 1e6 : performance.now();
}

/** Returns the current time on both clocks. */
export function moment(): Moment {
  return { monotonic: monotonicTime(), wall: Date.now() };
}

/** Returns the ms from one moment to a later one: the larger of the differences on the two clocks. */
export function between(from: Moment, to: Moment): number {
  return Math.max(to.monotonic - from.monotonic, to.wall - from.wall);
}

/** Returns the ms from a moment until now, as {@link between} does, without an object per call. */
export function elapsed(since: Moment): number {
  return Math.max(monotonicTime() - since.monotonic, Date.now() - since.wall);
}

export const systemClock: Clock = {
  moment,
  elapsed,
  // Deno refuses a call of its timer functions as methods of another object.
  setTimeout: (callback, ms) => setTimeout(callback, ms),
  setInterval: (callback, ms) => setInterval(callback, ms),
  clear: (timer) => clearTimeout(timer),
};

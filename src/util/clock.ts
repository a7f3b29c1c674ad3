/** A point in time on both clocks: the monotonic one can stand still over a snapshot, the wall clock can be set. */
export interface Moment {
  readonly monotonic: number;
  readonly wall: number;
}

export function moment(): Moment {
  return { monotonic: performance.now(), wall: Date.now() };
}

/** ms since then: the larger of the two readings. */
export function elapsed(since: Moment): number {
  return Math.max(performance.now() - since.monotonic, Date.now() - since.wall);
}

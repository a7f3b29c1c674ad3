import type { FleetEvent } from "../handlers/fleet.js";
import { randomFrom } from "../util/random.js";

/** How the invocations of a fleet come in. */
export interface Load {
  /** Invocations per second between bursts, and within one. */
  readonly quiet: number;
  readonly burst: number;
  /** How long a burst lasts, and from one's start to the next one's, in ms. */
  readonly burstMs: number;
  readonly everyMs: number;
}

/** When invocations come, in ms from the start: at random moments, by a rate that bursts. */
export function arrivals(load: Load, totalMs: number, seed: number): number[] {
  const random = randomFrom(seed);
  const times: number[] = [];
  for (let at = 0; ; ) {
    // A third of the time passes before the first burst.
    const phase = (at + load.everyMs - load.everyMs / 3) % load.everyMs;
    const rate = phase < load.burstMs ? load.burst : load.quiet;
    at += (-Math.log(1 - random()) / rate) * 1_000;
    if (at >= totalMs) return times;
    times.push(at);
  }
}

/** Returns the maximum number of invocations that overlap if each takes `takesMs`: the instances that a platform needs. */
export function maxConcurrent(times: readonly number[], takesMs: number): number {
  let first = 0;
  let most = 0;
  for (const [index, at] of times.entries()) {
    while (times[first]! <= at - takesMs) first++;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

type Fleet = Pick<FleetEvent, "arrivals" | "workMs" | "maxInstances">;
type Limits = Readonly<Record<"softLimit" | "hardLimit", number>>;

/**
 * Returns what the model of docs/scale.md predicts: a fleet holds as many connections as invocations ever overlapped, up to the
 * platform's limit. With limits, connections in use are never closed, and beyond the hard limit none is added.
 */
export function predict({ arrivals, workMs, maxInstances, softLimit, hardLimit }: Fleet & Limits) {
  const instances = Math.min(maxConcurrent(arrivals, workMs), maxInstances);
  return {
    connectionsUnlimited: instances,
    connectionsLimited: [Math.min(instances, softLimit), Math.min(instances, hardLimit)] as const,
    evicts: instances > softLimit,
  };
}

import { maxConcurrent } from "./arrivals.js";

/** The inputs that determine how many connections a fleet holds. */
export interface FleetModelInput {
  readonly arrivals: readonly number[];
  /** How long an invocation occupies its instance, in ms. */
  readonly workMs: number;
  /** The most instances that the platform starts. */
  readonly maxInstances: number;
  readonly softLimit: number;
  readonly hardLimit: number;
}

/** The prediction of the model in docs/scale.md for a fleet. */
export interface Prediction {
  /** Invocations at a time at the peak; one instance each. */
  readonly instances: number;
  /** Connections at the peak: one for each instance that lives. */
  readonly connectionsUnlimited: number;
  /** With limits: those in use are never closed, and beyond the hard limit none is added. */
  readonly connectionsLimited: readonly [least: number, most: number];
  /** Whether there are evictions, and whether there may be refusals. */
  readonly evicts: boolean;
  readonly refuses: boolean;
}

/**
 * An instance runs one invocation at a time and keeps one connection, frozen or not, so a fleet holds as many
 * connections as it has instances, and it has as many as invocations ever overlapped.
 */
export function predict({
  arrivals,
  workMs,
  maxInstances,
  softLimit,
  hardLimit,
}: FleetModelInput): Prediction {
  const instances = Math.min(maxConcurrent(arrivals, workMs), maxInstances);
  return {
    instances,
    connectionsUnlimited: instances,
    connectionsLimited: [Math.min(instances, softLimit), Math.min(instances, hardLimit)],
    evicts: instances > softLimit,
    refuses: instances > hardLimit,
  };
}

/** The prediction for a fleet without invocations, where nothing is predicted. */
export const NO_MODEL = predict({ arrivals: [], workMs: 0, maxInstances: 0, softLimit: 0, hardLimit: 0 });

import { totalmem } from "node:os";

/**
 * Times between two invocations in s, in real time: the clients' own timers cannot be scaled. And the share of the invocations
 * that an instance runs with each, so that it takes little more than the longest pause.
 */
const SHARES: ReadonlyMap<number, number> = new Map([
  [0, 1],
  [2, 0.5],
  [30, 0.05],
]);
/** The times in s between two invocations of the scenario idle. */
export const IDLE_S = [...SHARES.keys()];

/**
 * The instances that pause at once, as many as fit into memory: each is a process of its own, of 20 MB to 60 MB. At most 180: with
 * 360, a kernel that tracks page accesses (DAMON) used over a tenth of two processors.
 */
export const LANES = Math.max(16, Math.min(180, Math.floor(totalmem() / 2 ** 26)));

/** Returns the number of invocations of an instance, of the settings' number. */
export const callsOf = (idleS: number, invocations: number) =>
  Math.max(1, Math.round(invocations * SHARES.get(idleS)!));

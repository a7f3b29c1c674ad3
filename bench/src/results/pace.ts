import { median } from "../statistics/series.js";

/** Repetitions of the loop in one calibration: the fastest counts, so that a pause of the scheduler does not. */
const REPETITIONS = 7;
const STEPS = 400_000;
/** A host that is slower than before by more than this voids a run. */
const MAX_SLOWDOWN = 1.25;

/** Returns the time in ms of a fixed loop of integer arithmetic: the speed of the host at this moment. */
export function calibrate(): number {
  const times = Array.from({ length: REPETITIONS }, () => {
    const begun = performance.now();
    let state = 1;
    for (let step = 0; step < STEPS; step++) state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    const took = performance.now() - begun;
    // Its result is used, so that the compiler keeps the loop.
    return state === -1 ? 0 : took;
  });
  return Math.min(...times);
}

/** Returns why a run is void: the median of its calibrations is above the best one known by too much. */
export function slowdownOf(paces: readonly number[], best: number): string | undefined {
  const slower = median(paces) / best;
  return slower > MAX_SLOWDOWN ? `the host was ${slower.toFixed(2)} times slower than before` : undefined;
}

import { median, type Series } from "../statistics/series.js";
import type { Job, JobResult } from "./jobs.js";

/** How long a job runs before it is measured, in a full run and in a quick one; the same for all clients. */
export const FULL_WARM_UP = { sliceMs: 25, maxSlices: 16 };
export const QUICK_WARM_UP = { sliceMs: 20, maxSlices: 2 };

/** The number of slices whose median is compared with that of as many slices before. */
const WINDOW = 4;
/** The largest difference between the two medians, as a share. */
const TOLERANCE = 0.05;

/** Returns whether the last windows of CPU times per command agree. */
export function isSteady(cpuPerCommand: readonly number[]): boolean {
  if (cpuPerCommand.length < 2 * WINDOW) return false;
  const earlier = median(cpuPerCommand.slice(-2 * WINDOW, -WINDOW));
  return Math.abs(median(cpuPerCommand.slice(-WINDOW)) / earlier - 1) <= TOLERANCE;
}

/**
 * Runs slices of a job until its CPU time per command is steady, or up to the limit.
 * @returns the number of slices, and whether the CPU time was steady in the end
 */
export async function warmUp(
  run: (job: Job) => Promise<JobResult>,
  job: Job,
  { sliceMs, maxSlices }: typeof FULL_WARM_UP,
) {
  const slice = sliceOf(job, sliceMs);
  const cpuPerCommand: number[] = [];
  while (cpuPerCommand.length < maxSlices) {
    const { cpuUs, count } = await run(slice);
    cpuPerCommand.push(cpuUs / count);
    if (isSteady(cpuPerCommand)) return { slices: cpuPerCommand.length, steady: true };
  }
  return { slices: maxSlices, steady: false };
}

/** Returns a job of `ms` that runs the same code and has a CPU time of its own. */
function sliceOf(job: Job, ms: number): Job {
  // Arrivals spin until the next call is due.
  if (job.kind === "arrivals") return { kind: "sequential", call: "get", ms };
  return { ...job, ms };
}

/** Notes on the warm-up, with the cases whose CPU time per command never became steady. */
export function warmUpNotes<T extends { readonly unsteady: Series }>(
  rows: readonly T[],
  nameOf: (row: T) => string,
): string[] {
  const { sliceMs, maxSlices } = FULL_WARM_UP;
  const unsteady = rows.filter((row) => row.unsteady.total > 0).map(nameOf);
  return [
    `Before it is measured a job runs in slices of ${sliceMs} ms until its CPU time per command is steady: the medians of the last four slices and of the four before differ by at most 5%. The limit is ${maxSlices} slices. It is the same for all clients.`,
    ...(unsteady.length > 0 ? [`Not steady after ${maxSlices} slices: ${unsteady.join("; ")}.`] : []),
  ];
}

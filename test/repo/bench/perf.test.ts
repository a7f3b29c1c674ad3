import { describe, expect, test } from "vitest";
import type { Job, JobResult } from "../../../bench/src/perf/jobs.js";
import { FULL_WARM_UP, isSteady, warmUp, warmUpNotes } from "../../../bench/src/perf/warm-up.js";
import { Series } from "../../../bench/src/statistics/series.js";

describe("a warm-up", () => {
  /** Runs a warm-up whose slices take these CPU times per command in us; the last one is repeated. */
  const ended = async (cpu: readonly number[], job: Job = { kind: "concurrent", inFlight: 50, ms: 1 }) => {
    const jobs: Job[] = [];
    const run = async (slice: Job) => {
      const perCommand = cpu[Math.min(jobs.push(slice), cpu.length) - 1]!;
      return { count: 10, cpuUs: 10 * perCommand } as JobResult;
    };
    return { ...(await warmUp(run, job, FULL_WARM_UP)), jobs };
  };

  test("a warm-up ends once two windows of four slices agree", async () => {
    expect(isSteady([9, 9, 9, 9, 9, 9, 9])).toBe(false);
    expect(isSteady([9, 9, 9, 9, 9, 9, 9, 9])).toBe(true);
    expect(isSteady([9, 9, 9, 9, 8, 8, 8, 8])).toBe(false);
    // Garbage collection in one slice does not count.
    expect(isSteady([9, 9, 9, 9, 9, 30, 9, 9])).toBe(true);
    expect(await ended([5])).toMatchObject({ slices: 8, steady: true });
  });

  test("a warm-up goes on while code is still being compiled, up to its limit", async () => {
    const falling = Array.from({ length: 10 }, (_, at) => 100 * 0.9 ** at);
    const { slices, steady } = await ended(falling);
    expect([slices > falling.length, steady]).toEqual([true, true]);
    const never = Array.from({ length: 100 }, (_, at) => 1.1 ** at);
    expect(await ended(never)).toMatchObject({ slices: FULL_WARM_UP.maxSlices, steady: false });
  });

  test("a warm-up runs slices of the job, and jobs without a CPU time of their own as a similar one", async () => {
    const { jobs } = await ended([5]);
    expect(jobs[0]).toEqual({ kind: "concurrent", inFlight: 50, ms: FULL_WARM_UP.sliceMs });
    const slices = async (job: Job) => (await ended([5], job)).jobs[0];
    expect(await slices({ kind: "arrivals", rate: 9, ms: 1 })).toMatchObject({
      kind: "sequential",
      call: "get",
    });
  });

  test("the notes name the cases that never became steady", () => {
    const rows = [0, 1].map((unsteady) => ({ name: `case ${unsteady}`, unsteady: new Series([[unsteady]]) }));
    expect(warmUpNotes(rows, ({ name }) => name).at(-1)).toBe("Not steady after 16 slices: case 1.");
  });
});

import { setTimeout as pause } from "node:timers/promises";
import type { Counts } from "./kernel.js";

/** The wait in ms after the last request, whose sockets are still closing, before the last sample. */
export const SETTLE_MS = 250;

/**
 * Starts requests at a fixed rate and counts the kernel's sockets meanwhile.
 * @param request returns the number of connections that it closed
 * @returns latencies in ms from the time at which each request was due, so that a stall is not hidden; the numbers of failed requests
 * and of closed connections; the time in s that they took, longer than planned if they lag; and the most sockets in TIME_WAIT on
 * both sides, and in ESTABLISHED at the servers' side
 */
export async function driveRequests(
  request: () => Promise<number>,
  perSecond: number,
  seconds: number,
  counter: { count(): Counts },
  sampleMs = 250,
) {
  await request();
  const samples: (Counts & { readonly atS: number })[] = [];
  const begunAt = performance.now();
  const sample = () => samples.push({ atS: (performance.now() - begunAt) / 1_000, ...counter.count() });
  const sampling = setInterval(sample, sampleMs);
  const latencies: number[] = [];
  let [failed, closed] = [0, 0];
  const running: Promise<void>[] = [];
  for (let n = 0; n < perSecond * seconds; n++) {
    const due = begunAt + (n * 1_000) / perSecond;
    await pause(Math.max(0, due - performance.now()));
    // A timer may fire a little early; then the request counts from its start.
    const from = Math.min(due, performance.now());
    running.push(
      request().then(
        (closing) => {
          latencies.push(performance.now() - from);
          closed += closing;
        },
        () => void failed++,
      ),
    );
  }
  await Promise.all(running);
  const elapsedS = (performance.now() - begunAt) / 1_000;
  await pause(SETTLE_MS);
  clearInterval(sampling);
  sample();
  const peak = (of: (counts: Counts) => number) => Math.max(...samples.map(of));
  return {
    latencies,
    failed,
    closed,
    elapsedS,
    samples,
    timeWait: peak(({ clientTimeWait, serverTimeWait }) => clientTimeWait + serverTimeWait),
    established: peak(({ serverEstablished }) => serverEstablished),
  };
}

import { setTimeout as pause } from "node:timers/promises";
import type { ClusterNode } from "warmline-testbed";

/** Times of an outage in ms. */
export interface Outage {
  readonly beforeMs: number;
  readonly downMs: number;
  readonly afterMs: number;
  readonly everyMs: number;
}

/**
 * Sends requests at a fixed rate while a node is killed and, after a time, restarted. Returns the times in ms of requests that
 * succeeded, from the moment at which each was due, the number of others, and the time in s from the first to the last of these.
 */
export async function driveOutage(
  request: (number: number) => Promise<unknown>,
  node: ClusterNode,
  { beforeMs, downMs, afterMs, everyMs }: Outage,
) {
  const latencies: number[] = [];
  const failures: number[] = [];
  const running: Promise<unknown>[] = [];
  const beganAt = performance.now();
  const send = async (number: number) => {
    const due = beganAt + number * everyMs;
    await pause(Math.max(0, due - performance.now()));
    const from = Math.min(due, performance.now());
    try {
      await request(number);
      latencies.push(performance.now() - from);
    } catch {
      failures.push(performance.now() - beganAt);
    }
  };
  const total = beforeMs + downMs + afterMs;
  for (let number = 0; number * everyMs < total; number++) running.push(send(number));
  await pause(beforeMs);
  await node.kill();
  await pause(beganAt + beforeMs + downMs - performance.now());
  await node.restart();
  await Promise.all(running);
  const errorsMs = failures.length === 0 ? 0 : Math.max(...failures) - Math.min(...failures);
  return { latencies, failed: failures.length, errorsS: errorsMs / 1_000 };
}

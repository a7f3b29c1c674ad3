import { setTimeout as sleep } from "node:timers/promises";
import { Redis, type WriteMode } from "warmline";

export interface FirstWriteEvent {
  /** Whether `ready()` is called at the beginning. */
  readonly ready: boolean;
  /** Time in ms that the handler spends on other work before the write. */
  readonly workMs: number;
}

const redis = Redis.fromEnv({ writes: process.env.BENCH_WRITES as WriteMode });

/** Returns the time in ms of the write alone. */
export const handler = async ({ ready, workMs }: FirstWriteEvent): Promise<{ readonly ms: number }> => {
  if (ready) void redis.ready();
  if (workMs > 0) await sleep(workMs);
  const began = performance.now();
  await redis.set("first-write", "hello");
  return { ms: performance.now() - began };
};

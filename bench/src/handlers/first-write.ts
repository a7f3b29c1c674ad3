import { setTimeout as sleep } from "node:timers/promises";
import { Redis, type WriteMode } from "warmline";

const redis = Redis.fromEnv({ writes: process.env.BENCH_WRITES as WriteMode });

/**
 * Waits `workMs`, in place of other work of a handler, and then writes. With `ready` it calls `ready()` before the wait.
 * @returns the duration of the write in ms
 */
export const handler = async (event: { readonly ready: boolean; readonly workMs: number }) => {
  if (event.ready) void redis.ready();
  if (event.workMs > 0) await sleep(event.workMs);
  const began = performance.now();
  await redis.set("first-write", "hello");
  return { ms: performance.now() - began };
};

import { setTimeout as sleep } from "node:timers/promises";
import { Redis, type WriteMode } from "warmline";

const redis = Redis.fromEnv({ writes: process.env.BENCH_WRITES as WriteMode });

/**
 * Writes after other work, which takes `workMs`.
 * @param event `ready`: whether `ready()` is called at the beginning
 * @returns the time in ms of the write alone
 */
export const handler = async (event: { readonly ready: boolean; readonly workMs: number }) => {
  if (event.ready) void redis.ready();
  if (event.workMs > 0) await sleep(event.workMs);
  const began = performance.now();
  await redis.set("first-write", "hello");
  return { ms: performance.now() - began };
};

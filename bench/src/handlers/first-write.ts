import { setTimeout as sleep } from "node:timers/promises";
import { Redis, type WriteMode } from "warmline";

const redis = Redis.fromEnv({ writes: process.env.BENCH_WRITES as WriteMode });

/** Writes after other work, which takes `workMs` and begins with `ready()` if the event says so. Returns the time of the write in ms. */
export const handler = async (event: { readonly ready: boolean; readonly workMs: number }) => {
  if (event.ready) void redis.ready();
  if (event.workMs > 0) await sleep(event.workMs);
  const began = performance.now();
  await redis.set("first-write", "hello");
  return { ms: performance.now() - began };
};

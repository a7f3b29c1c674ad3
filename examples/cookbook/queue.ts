import { Redis } from "warmline";

const redis = Redis.fromEnv();
const [QUEUE, GROUP] = ["jobs", "workers"];

/** Creates the queue. Call it when a worker starts: a second call changes nothing. */
export async function createQueue(): Promise<void> {
  await redis
    .xgroup(QUEUE, { type: "CREATE", group: GROUP, id: "0", options: { MKSTREAM: true } })
    .catch((error) => {
      if (error.code !== "BUSYGROUP") throw error;
    });
}

/** Adds a job, once even if the response is lost. */
export async function enqueue(job: unknown): Promise<void> {
  await redis.with({ writes: "exactly-once" }).xadd(QUEUE, "*", { job });
}

/**
 * Handles up to `count` jobs. Jobs of a worker that has been silent for `patience` ms come first, then new jobs. If there
 * are none, it waits up to `wait` ms. A job is removed after it was handled: the job of a dead worker is handled again.
 * @returns the number of jobs.
 */
export async function work<Job>(
  worker: string,
  handle: (job: Job) => Promise<void>,
  { count = 10, patience = 60_000, wait = 5_000 } = {},
): Promise<number> {
  let [, entries] = await redis.xautoclaim(QUEUE, GROUP, worker, patience, "0", { count });
  if (entries.length === 0) {
    const streams = await redis.xreadgroup(GROUP, worker, QUEUE, ">", { count, blockMS: wait });
    entries = streams?.[0]?.[1] ?? [];
  }
  for (const [id, fields] of entries) {
    if (fields) await handle(fields[1] as Job);
    // Removing a job twice is the same as once.
    await redis.with({ writes: "at-least-once" }).multi().xack(QUEUE, GROUP, id).xdel(QUEUE, id).exec();
  }
  return entries.length;
}

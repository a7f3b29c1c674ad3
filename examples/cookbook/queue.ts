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
 * Handles up to `count` jobs. Jobs that have waited `minIdle` ms for a worker's acknowledgement come first, then new jobs.
 * If there are none, it waits up to `wait` ms; with 0, which Upstash requires, it returns at once. A job is removed after it
 * was handled. The job of a dead worker is handled again, and so is a job that failed.
 * @returns the number of jobs.
 * @throws AggregateError after the last job, if jobs failed.
 */
export async function work<Job>(
  worker: string,
  handle: (job: Job) => Promise<void>,
  { count = 10, minIdle = 60_000, wait = 5_000 } = {},
): Promise<number> {
  let [, entries] = await redis.xautoclaim(QUEUE, GROUP, worker, minIdle, "0", { count });
  if (entries.length === 0) {
    const block = wait > 0 ? { blockMS: wait } : {};
    const streams = await redis.xreadgroup(GROUP, worker, QUEUE, ">", { count, ...block });
    entries = streams?.[0]?.[1] ?? [];
  }
  const errors: unknown[] = [];
  for (const [id, fields] of entries) {
    try {
      if (fields) await handle(fields[1] as Job);
      // Removing a job twice is the same as once.
      await redis.with({ writes: "at-least-once" }).multi().xack(QUEUE, GROUP, id).xdel(QUEUE, id).exec();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0)
    throw new AggregateError(errors, `${errors.length} of ${entries.length} jobs failed`);
  return entries.length;
}

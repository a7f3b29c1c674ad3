import type { Redis } from "warmline";

/** Keys that one command removes. */
const BATCH = 500;

/** Returns a glob pattern that matches every key that begins with `prefix`. */
export const patternOf = (prefix: string): string => `${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`;

/** Removes every key that begins with `prefix`. Keys that are written meanwhile may stay. */
export async function removeKeys(redis: Redis, prefix: string): Promise<void> {
  let batch: string[] = [];
  const flush = async () => {
    if (batch.length > 0) await redis.unlink(...batch);
    batch = [];
  };
  for await (const key of redis.scanIterator({ match: patternOf(prefix), count: BATCH })) {
    batch.push(key);
    if (batch.length === BATCH) await flush();
  }
  await flush();
}

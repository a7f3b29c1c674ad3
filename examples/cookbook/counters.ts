import { Redis } from "warmline";

// A view whose response is lost is sent again, and counted once.
const redis = Redis.fromEnv({ writes: "exactly-once" });

const DAY = 86_400; // seconds
const day = (time: number) => new Date(time).toISOString().slice(0, 10);

/** Counts a view of a page, and its visitor. Counts of a day are kept for 30 days. */
export async function countView(page: string, visitor: string, time = Date.now()): Promise<void> {
  const key = `views:{${page}}:${day(time)}`;
  await redis
    .pipeline()
    .incr(key)
    .pfadd(`${key}:visitors`, visitor)
    .expire(key, 30 * DAY)
    .expire(`${key}:visitors`, 30 * DAY)
    .exec();
}

/** Returns views and estimated distinct visitors (error below 1%) of the last `days` days, today included. */
export async function views(page: string, days: number, now = Date.now()) {
  const keys = Array.from({ length: days }, (_, i) => `views:{${page}}:${day(now - i * DAY * 1_000)}`);
  const [counts, visitors] = await Promise.all([
    redis.mget<(number | null)[]>(...keys),
    redis.pfcount(...(keys.map((key) => `${key}:visitors`) as [string, ...string[]])),
  ]);
  return { views: counts.reduce<number>((sum, count) => sum + (count ?? 0), 0), visitors };
}

import { Redis, WarmlineError } from "warmline";

// A cache may repeat a write, and a slow cache is worse than none.
const redis = Redis.fromEnv({ timeout: 500, writes: "at-least-once" });

/** Returns the cached value of a key. If there is none, it loads the value and caches it for about `seconds`. */
export async function cached<T>(key: string, seconds: number, load: () => Promise<T>): Promise<T> {
  const hit = await redis.get<{ value: T }>(key).catch(ignoreOutage);
  if (hit) return hit.value;
  const value = await load();
  // Values stored at the same time expire at different times.
  const ex = Math.ceil(seconds * (0.9 + Math.random() * 0.2));
  await redis.set(key, { value }, { ex }).catch(ignoreOutage);
  return value;
}

function ignoreOutage(error: unknown): null {
  if (error instanceof WarmlineError) return null;
  throw error;
}

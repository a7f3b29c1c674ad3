import { Redis } from "warmline";

const redis = Redis.fromEnv({ timeout: 1_000 });

// The previous window's requests count in proportion to how much of it lies within the last `window` ms.
const script = redis.createScript<number>(`
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local current = tonumber(redis.call("GET", KEYS[1]) or "0")
local previous = tonumber(redis.call("GET", KEYS[2]) or "0")
local used = math.floor(previous * (window - now % window) / window) + current
if used >= limit then return -1 end
if redis.call("INCR", KEYS[1]) == 1 then redis.call("PEXPIRE", KEYS[1], window * 2 + 1000) end
return limit - used - 1
`);

/** Returns a function that allows a caller `limit` requests in a sliding window of `window` ms. */
export function rateLimit({ limit, window }: { limit: number; window: number }) {
  return async (caller: string) => {
    const now = Date.now();
    const number = Math.floor(now / window);
    const key = (of: number) => `rate:{${caller}}:${of}`;
    const left = await script.exec([key(number), key(number - 1)], [now, window, limit]);
    return { allowed: left >= 0, left: Math.max(0, left), resetsAt: (number + 1) * window };
  };
}

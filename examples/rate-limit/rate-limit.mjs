/**
 * A sliding window: how many requests came in this window, and the share of the last one that still counts. One script,
 * so that two functions that ask at the same time do not both get the last place; both keys have the same hash tag, so
 * it runs on a cluster too.
 */
const SCRIPT = `
local now, window, limit = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local current = tonumber(redis.call("GET", KEYS[1]) or "0")
local previous = tonumber(redis.call("GET", KEYS[2]) or "0")
local used = math.floor(previous * (window - now % window) / window) + current
if used >= limit then return -1 end
if redis.call("INCR", KEYS[1]) == 1 then redis.call("PEXPIRE", KEYS[1], window * 2 + 1000) end
return limit - used - 1
`;

/**
 * @param limit how many requests one caller may make in `window` milliseconds.
 * @returns a function that tells whether a caller may go on, and how many requests are left.
 */
export function rateLimit(redis, { limit, window, prefix = "rate" }) {
  const script = redis.createScript(SCRIPT);
  return async (caller) => {
    const now = Date.now();
    const number = Math.floor(now / window);
    const key = (n) => `${prefix}:{${caller}}:${n}`;
    const left = await script.exec([key(number), key(number - 1)], [now, window, limit]);
    return { allowed: left >= 0, left: Math.max(0, left), resetsAt: (number + 1) * window };
  };
}

import { Redis } from "warmline";

const redis = Redis.fromEnv({ timeout: 1_000 });

// A window begins with its first lease, and ends when the key expires.
const script = redis.createScript<[granted: number, ms: number]>(`
local used = tonumber(redis.call("GET", KEYS[1]) or "0")
-- Below zero if a deployment has lowered the limit within the window.
local granted = math.max(0, math.min(tonumber(ARGV[1]), tonumber(ARGV[2]) - used))
if granted > 0 then redis.call("INCRBY", KEYS[1], granted) end
if used == 0 then redis.call("PEXPIRE", KEYS[1], ARGV[3]) end
return { granted, redis.call("PTTL", KEYS[1]) }
`);

/** Returns a function that permits `limit` calls per `window` ms over all instances. It leases `batch` at a time. */
export function leasedLimit(name: string, limit: number, window: number, batch = Math.ceil(limit / 20)) {
  if (limit < 1 || batch < 1) throw new RangeError(`limit ${name}: limit and batch must be 1 or more`);
  let lease = { permits: 0, until: 0, last: false };
  let renewal: Promise<void> | undefined;

  async function renew(): Promise<void> {
    // Counted from before the request, so that the lease ends no later than the window.
    const begun = Date.now();
    const [granted, ms] = await script.exec([`limit:${name}`], [batch, limit, window]);
    lease = { permits: granted, until: begun + ms, last: granted < batch };
  }

  return async (): Promise<boolean> => {
    while (Date.now() >= lease.until || (lease.permits <= 0 && !lease.last)) {
      renewal ??= renew().finally(() => {
        renewal = undefined;
      });
      await renewal;
    }
    if (lease.permits <= 0) return false;
    lease.permits--;
    return true;
  };
}

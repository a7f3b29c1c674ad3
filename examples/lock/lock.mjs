/** Deletes, or extends, a lock only while it is one's own. */
const RELEASE = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end return 0`;
const EXTEND = `if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end return 0`;

/**
 * Runs `work` while holding a lock that every other caller respects.
 *
 * A lock with a lifetime can be lost: by a pause longer than the lease, or a failover of Redis. So `work` gets a number
 * that grows with every holder, the fencing token: whoever stores what is being protected can refuse a smaller one.
 * @param lease how long the lock lives, in ms, should its holder die. It is extended while `work` runs.
 * @param wait how long to wait for it, in ms.
 * @throws when it can't be had in that time, or was lost before `work` was done.
 */
export async function withLock(redis, name, work, { lease = 10_000, wait = 5_000 } = {}) {
  // Taking the lock twice must be the same as once: an answer that is lost must not leave it taken by nobody.
  const guarded = redis.with({ writes: "exactly-once" });
  const key = `lock:{${name}}`;
  const holder = crypto.randomUUID();
  const until = Date.now() + wait;
  for (
    let pause = 20;
    !(await guarded.set(key, holder, { nx: true, px: lease }));
    pause = Math.min(pause * 2, 500)
  ) {
    if (Date.now() > until) throw new Error(`lock ${name}: held by somebody else for ${wait} ms`);
    await new Promise((resolve) => setTimeout(resolve, pause * (0.5 + Math.random())));
  }

  let lost = false;
  const extension = setInterval(async () => {
    const held = await redis.eval(EXTEND, [key], [holder, lease]).catch(() => undefined);
    // No answer says nothing: the next extension will tell.
    if (held === 0) lost = true;
  }, lease / 3);
  try {
    const fence = await guarded.incr(`${key}:fence`);
    const result = await work(fence);
    if (lost) throw new Error(`lock ${name}: it was lost while the work was being done`);
    return result;
  } finally {
    clearInterval(extension);
    // Should this fail the lease ends it.
    await redis.eval(RELEASE, [key], [holder]).catch(() => {});
  }
}

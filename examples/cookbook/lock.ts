import { Redis } from "warmline";

const redis = Redis.fromEnv();
// Each of these scripts may run twice with the same effect as once.
const scripts = redis.with({ writes: "at-least-once" });

// KEYS: the lock, the fence. The same holder gets its fence again.
const acquire = scripts.createScript<number>(`
if redis.call("SET", KEYS[1], ARGV[1], "NX", "PX", ARGV[2]) then return redis.call("INCR", KEYS[2]) end
if redis.call("GET", KEYS[1]) == ARGV[1] then return tonumber(redis.call("GET", KEYS[2])) end
return 0`);
const extend = scripts.createScript<number>(`
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("PEXPIRE", KEYS[1], ARGV[2]) end
return 0`);
const release = scripts.createScript<number>(`
if redis.call("GET", KEYS[1]) == ARGV[1] then return redis.call("DEL", KEYS[1]) end
return 0`);

/**
 * Runs `task` while it holds a lock, and waits up to `wait` ms for it. The lock ends `lease` ms after its holder has died.
 * The fence grows with each holder: pass it on with every write, as to `fencedSet`.
 * @throws Error if the lock is held by another for too long, or if an extension found that it was lost.
 */
export async function withLock<T>(
  name: string,
  task: (fence: number) => Promise<T>,
  { lease = 10_000, wait = 5_000 } = {},
): Promise<T> {
  const key = `lock:{${name}}`;
  const holder = crypto.randomUUID();
  const deadline = Date.now() + wait;
  let fence = 0;
  for (;;) {
    fence = await acquire.exec([key, `${key}:fence`], [holder, lease]);
    if (fence > 0) break;
    if (Date.now() >= deadline) throw new Error(`lock ${name}: held by another for ${wait} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 30));
  }

  let lost = false;
  const extension = setInterval(async () => {
    // A failed extension shows nothing: the next one follows.
    if ((await extend.exec([key], [holder, lease]).catch(() => 1)) === 0) lost = true;
  }, lease / 3);
  try {
    const result = await task(fence);
    if (lost) throw new Error(`lock ${name}: lost before the task had ended`);
    return result;
  } finally {
    clearInterval(extension);
    // If this fails, the lock ends with its lease.
    await release.exec([key], [holder]).catch(() => {});
  }
}

// KEYS: the value, the highest fence that has written it.
const setIfFenced = scripts.createScript<number>(`
if tonumber(redis.call("GET", KEYS[2]) or "0") > tonumber(ARGV[2]) then return 0 end
redis.call("SET", KEYS[1], ARGV[1])
redis.call("SET", KEYS[2], ARGV[2])
return 1`);

/** Stores a value. Returns false if a later holder of the lock has written the key: nothing is stored then. */
export async function fencedSet(key: string, value: unknown, fence: number): Promise<boolean> {
  // The braces place both keys in one slot of a cluster, unless the key has a hash tag already.
  const fenceKey = /\{[^}]+\}/.test(key) ? `${key}:fence` : `{${key}}:fence`;
  return (await setIfFenced.exec([key, fenceKey], [value, fence])) === 1;
}

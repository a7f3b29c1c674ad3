import type { Redis } from "warmline";

/** Number of keys that one command removes. */
const BATCH = 500;

/** Returns a glob pattern that matches every key that begins with `prefix`. */
const toPattern = (prefix: string): string => `${prefix.replace(/[\\*?[\]]/g, "\\$&")}*`;

/** Yields pages of the keys that begin with `prefix`, without the client's own `keyPrefix`. */
export async function* pagesOfKeys(
  redis: Redis,
  prefix: string,
  count: number,
): AsyncGenerator<string[], void> {
  const { keyPrefix = "" } = redis;
  const match = toPattern(keyPrefix + prefix);
  let cursor = "0";
  do {
    const [next, found] = await redis.scan(cursor, { match, count });
    cursor = next;
    yield found.map((key) => key.slice(keyPrefix.length));
  } while (cursor !== "0");
}

/** Removes every key that begins with `prefix`. Keys that are written meanwhile may remain. */
export async function removeKeys(redis: Redis, prefix: string): Promise<void> {
  let batch: string[] = [];
  const flush = async () => {
    if (batch.length > 0) await redis.unlink(...batch);
    batch = [];
  };
  for await (const keys of pagesOfKeys(redis, prefix, BATCH)) {
    batch.push(...keys);
    if (batch.length >= BATCH) await flush();
  }
  await flush();
}

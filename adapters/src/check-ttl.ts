/** Maximum time to live, about 32 years. A longer one is a mistake, such as a timestamp in ms or Infinity. */
const MAX_SECONDS = 1e9;

/** @throws TypeError if `ttl` is not a time to live in seconds. */
export function checkTtl(ttl: unknown): asserts ttl is number {
  if (typeof ttl === "number" && ttl > 0 && ttl <= MAX_SECONDS) return;
  throw new TypeError(`ttl must be a positive number of seconds, at most ${MAX_SECONDS}`);
}

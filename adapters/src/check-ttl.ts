/** Longer is a mistake, such as a time in ms or an endless one. About 32 years. */
const MAX_SECONDS = 1e9;

/** @throws TypeError if a time to live in seconds is none. */
export function checkTtl(ttl: unknown): asserts ttl is number {
  if (typeof ttl === "number" && ttl > 0 && ttl <= MAX_SECONDS) return;
  throw new TypeError(`ttl must be a positive number of seconds, at most ${MAX_SECONDS}`);
}

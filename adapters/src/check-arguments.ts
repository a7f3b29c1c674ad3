/** Maximum time to live, about 32 years. A longer one is a mistake, such as a timestamp in ms or Infinity. */
const MAX_SECONDS = 1e9;

/** @throws TypeError if `ttl` is not a time to live in seconds. */
export function checkTtl(ttl: unknown): asserts ttl is number {
  if (typeof ttl === "number" && ttl > 0 && ttl <= MAX_SECONDS) return;
  throw new TypeError(`ttl must be a positive number of seconds, at most ${MAX_SECONDS}`);
}

/** @throws TypeError unless `redis` is a client of warmline, and `options` have no other names than `names`. */
export function checkArguments(redis: unknown, options: object, ...names: string[]): void {
  if (typeof (redis as { with?: unknown } | undefined)?.with !== "function")
    throw new TypeError("redis must be a client of warmline, such as Redis.fromEnv()");
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`unknown option ${unknown}; the options are ${names.join(", ")}`);
}

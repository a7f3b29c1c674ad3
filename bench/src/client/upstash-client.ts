import { Redis, type RedisConfigNodejs } from "@upstash/redis";
import type { BenchClient } from "./bench-client.js";
import { overFetch } from "./over-fetch.js";

type UpstashOptions = Omit<RedisConfigNodejs, "url" | "token">;

export const connectUpstash = (settings: UpstashOptions): BenchClient["connect"] =>
  overFetch(({ url, token, keepAlive, timeoutMs, autoPipelining }) => {
    const limits = timeoutMs !== undefined && {
      // With `retry: false` it still sends a command twice.
      retry: { retries: 0, backoff: () => 0 },
      signal: () => AbortSignal.timeout(timeoutMs),
    };
    const unbatched = autoPipelining === false && { enableAutoPipelining: false };
    const options = { ...settings, ...limits, ...unbatched, url, token, keepAlive };
    const redis = new Redis(options);
    let unparsed: Redis | undefined;
    return {
      get: (key) => redis.get(key),
      set: (key, value) => redis.set(key, value),
      incr: (key) => redis.incr(key),
      hgetall: (key) => redis.hgetall(key),
      ping: () => redis.ping(),
      pipeline: (keys) => {
        const batch = redis.pipeline();
        for (const key of keys) batch.get(key);
        return batch.exec<unknown[]>();
      },
      // It does not support bytes. The nearest is unparsed text.
      bytes: (key) => {
        unparsed ??= new Redis({ ...options, automaticDeserialization: false });
        return unparsed.get(key);
      },
      close: async () => {},
    };
  });

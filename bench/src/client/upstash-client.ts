import { Redis, type RedisConfigNodejs } from "@upstash/redis";
import type { BenchClient } from "./bench-client.js";
import { mixedOn } from "./mixed.js";

type UpstashOptions = Omit<RedisConfigNodejs, "url" | "token">;

let closing = false;

/** Returns how the bench uses @upstash/redis with some settings. */
export const connectUpstash =
  (settings: UpstashOptions): BenchClient["connect"] =>
  ({ url, token, keepAlive, timeoutMs, autoPipelining }) => {
    if (!keepAlive && !closing) {
      closing = true;
      withoutKeepAlive();
    }
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
      mixed: (size) => mixedOn(redis.pipeline(), size).exec(),
      close: async () => {},
    };
  };

/** Adds `Connection: close` to all requests: the client's option has no effect on fetch's pool. */
function withoutKeepAlive(): void {
  const { fetch } = globalThis;
  globalThis.fetch = (url, init) =>
    fetch(url, { ...init, headers: { ...init?.headers, Connection: "close" } });
}

import type { Redis, RedisOptions } from "warmline";
import type { BenchClient } from "./bench-client.js";

export const connectWarmline =
  (Client: new (options: RedisOptions) => Redis): BenchClient["connect"] =>
  ({ url, token, keepAlive, autoPipelining }) => {
    const unbatched = autoPipelining === false && { enableAutoPipelining: false };
    const redis = new Client({ url, token, keepAlive, ...unbatched });
    let binary: Redis | undefined;
    return {
      get: (key) => redis.get(key),
      set: (key, value) => redis.set(key, value),
      incr: (key) => redis.incr(key),
      hgetall: (key) => redis.hgetall(key),
      ping: () => redis.ping(),
      pipeline: (keys) => {
        const batch = redis.pipeline();
        for (const key of keys) batch.get(key);
        return batch.exec();
      },
      bytes: (key) => {
        binary ??= new Client({ url, token, keepAlive, codec: "bytes" });
        return binary.get(key);
      },
      close: async () => redis.close(),
    };
  };

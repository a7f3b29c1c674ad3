import { once } from "node:events";
import { Redis, type RedisOptions } from "ioredis";
import type { BenchClient } from "./bench-client.js";
import { IDLE_MS } from "./rest.js";

export const connectIoredis =
  (settings: RedisOptions): BenchClient["connect"] =>
  ({ tcp, keepAlive, timeoutMs, autoPipelining }) => {
    const { port, tls } = tcp!;
    const host = "127.0.0.1";
    const redis = new Redis({
      ...settings,
      ...(autoPipelining === false && { enableAutoPipelining: false }),
      ...(timeoutMs !== undefined && {
        commandTimeout: timeoutMs,
        socketTimeout: IDLE_MS,
        maxRetriesPerRequest: 1,
        autoResendUnfulfilledCommands: false,
      }),
      host,
      port,
      lazyConnect: !keepAlive,
      ...(tls && { tls: {} }),
    });
    // Without a listener ioredis prints every error of a connection that it will reopen.
    redis.on("error", () => {});
    const run = async <T>(command: () => Promise<T>): Promise<T> => {
      if (keepAlive) return command();
      await redis.connect();
      const result = await command();
      // It can reconnect only after its "end" event. The reply to the command is complete, so nothing is lost.
      const ended = once(redis, "end");
      redis.disconnect();
      await ended;
      return result;
    };
    return {
      get: (key) => run(() => redis.get(key)),
      set: (key, value) => run(() => redis.set(key, value)),
      incr: (key) => run(() => redis.incr(key)),
      hgetall: (key) => run(() => redis.hgetall(key)),
      ping: () => run(() => redis.ping()),
      pipeline: (keys) =>
        run(async () => {
          const batch = redis.pipeline();
          for (const key of keys) batch.get(key);
          return (await batch.exec())!.map(([error, value]) => {
            if (error) throw error;
            return value;
          });
        }),
      bytes: (key) => run(() => redis.getBuffer(key)),
      close: async () => keepAlive && redis.quit(),
    };
  };

import { once } from "node:events";
import type { BenchClient } from "../bench-client.js";

const ioredis: BenchClient = {
  name: "ioredis",
  label: "ioredis (TCP)",
  package: "ioredis",
  note: "ioredis connects to Redis directly over TCP, with default settings. With keep-alive off it connects for each command and quits after it.",
  order: 6,
  standard: false,
  protocol: "tcp",
  batches: false,
  load: async () => {
    const { Redis } = await import("ioredis");
    return ({ tcp, keepAlive }) => {
      const { port, tls } = tcp!;
      const host = "127.0.0.1";
      const redis = new Redis({ host, port, lazyConnect: !keepAlive, ...(tls && { tls: {} }) });
      // Without a listener ioredis prints every error of a connection that it will reopen.
      redis.on("error", () => {});
      const run = async <T>(command: () => Promise<T>): Promise<T> => {
        if (keepAlive) return command();
        await redis.connect();
        const result = await command();
        // It can reconnect only after its "end" event, which follows the reply to QUIT.
        await Promise.all([once(redis, "end"), redis.quit()]);
        return result;
      };
      return {
        get: (key) => run(() => redis.get(key)),
        set: (key, value) => run(() => redis.set(key, value)),
        incr: (key) => run(() => redis.incr(key)),
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
        close: async () => keepAlive && redis.quit(),
      };
    };
  },
};

export default ioredis;

import { createClient, RESP_TYPES } from "@redis/client";
import type { BenchClient } from "../client/bench-client.js";

export default {
  name: "node-redis",
  label: "node-redis (TCP)",
  package: "@redis/client",
  note: "node-redis (@redis/client) connects to Redis directly over TCP, with default settings. It writes the commands of one tick together. With keep-alive off it connects for each command and closes after it.",
  order: 8,
  protocol: "tcp",
  advised: {
    settings:
      "socketTimeout 2,000, pingInterval 500, which keeps idle clients from it, and a reconnectStrategy, without which a socketTimeout closes the client; commandOptions.timeout 2,000",
    link: "https://github.com/redis/node-redis/blob/master/docs/client-configuration.md",
  },
  connect: ({ tcp, keepAlive, timeoutMs }) => {
    const { port, tls } = tcp!;
    const host = "127.0.0.1";
    const limits = timeoutMs !== undefined && {
      socketTimeout: timeoutMs,
      reconnectStrategy: (retries: number) => Math.min(50 * retries, 500),
    };
    const redis = createClient({
      socket: tls ? { host, port, tls: true, ...limits } : { host, port, ...limits },
      ...(timeoutMs !== undefined && {
        commandOptions: { timeout: timeoutMs },
        pingInterval: timeoutMs / 4,
      }),
    });
    const binary = redis.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
    redis.on("error", () => {});
    let opening: Promise<unknown> | undefined;
    const run = async <T>(command: () => Promise<T>): Promise<T> => {
      opening ??= redis.connect();
      await opening;
      if (keepAlive) return command();
      const result = await command();
      await redis.close();
      opening = undefined;
      return result;
    };
    if (keepAlive) opening = redis.connect();
    // A failed connect rejects the command that needs it.
    opening?.catch(() => {});
    return {
      get: (key) => run(() => redis.get(key)),
      set: (key, value) => run(() => redis.set(key, value)),
      incr: (key) => run(() => redis.incr(key)),
      hgetall: (key) => run(() => redis.hGetAll(key)),
      bytes: (key) => run(() => binary.get(key)),
      ping: () => run(() => redis.ping()),
      pipeline: (keys) =>
        run(() => {
          const batch = redis.multi();
          for (const key of keys) batch.get(key);
          return batch.execAsPipeline();
        }),
      close: async () => keepAlive && redis.close(),
    };
  },
} satisfies BenchClient;

import { createClient, RESP_TYPES } from "@redis/client";
import type { BenchClient } from "../client/bench-client.js";
import { IDLE_MS } from "../client/rest.js";

export default {
  name: "node-redis",
  label: "node-redis (TCP)",
  package: "@redis/client",
  note: "node-redis (@redis/client) connects to Redis directly over TCP, with default settings. It writes the commands of one tick together. With keep-alive off it connects for each command and closes after it.",
  order: 8,
  protocol: "tcp",
  advised: {
    settings:
      "commandOptions.timeout 2,000, which rejects a call; socketTimeout 1,000, which closes a connection without data for so long; pingInterval 500, which keeps idle connections from that; a reconnectStrategy, without which a socketTimeout closes the client.",
    link: "https://github.com/redis/node-redis/blob/master/docs/client-configuration.md",
  },
  connect: ({ tcp, keepAlive, timeoutMs }) => {
    const { port, tls } = tcp!;
    const host = "127.0.0.1";
    const limits = timeoutMs !== undefined && {
      socketTimeout: IDLE_MS,
      reconnectStrategy: (retries: number) => Math.min(50 * retries, 500),
    };
    const redis = createClient({
      socket: tls ? { host, port, tls: true, ...limits } : { host, port, ...limits },
      ...(timeoutMs !== undefined && {
        commandOptions: { timeout: timeoutMs },
        pingInterval: IDLE_MS / 2,
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

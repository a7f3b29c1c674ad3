import { Redis as Client } from "warmline/fetch";
import type { RedisConfigCloudflare } from "./options.js";
import { type Redis as CompatibleRedis, compatible, type RedisConstructor } from "./redis.js";

export * as errors from "./errors.js";
export type * from "./types.js";

/** A client for Redis over HTTP with the methods and properties of @upstash/redis, on the runtime's own fetch. */
export type Redis = CompatibleRedis;

/** Makes clients: `Redis.fromEnv(env)` in a Worker, or `new Redis({ url, token })`. */
export const Redis = compatible<
  RedisConstructor<RedisConfigCloudflare> & {
    fromEnv(env?: object, options?: Omit<RedisConfigCloudflare, "url" | "token">): Redis;
  }
>(Client);

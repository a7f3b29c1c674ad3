import { Redis as Client } from "warmline";
import type { RedisConfigNodejs } from "./options.js";
import { type Redis as CompatibleRedis, compatible, type RedisConstructor } from "./redis.js";

export * as errors from "./errors.js";
export type * from "./types.js";
export { s } from "./upstash-only/schema.js";
export { SearchIndex } from "./upstash-only/search.js";
export { VectorIndex } from "./upstash-only/vector.js";

/** A client for Redis over HTTP with the methods and properties of @upstash/redis, on warmline's connections. */
export type Redis = CompatibleRedis;

/** Makes clients: `new Redis({ url, token })`, or `Redis.fromEnv()`. */
export const Redis = compatible<
  RedisConstructor<RedisConfigNodejs> & { fromEnv(config?: Omit<RedisConfigNodejs, "url" | "token">): Redis }
>(Client);

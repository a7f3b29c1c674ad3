import { Redis as Client } from "warmline/fetch";
import type { RedisConfigFastly } from "./options.js";
import { type Redis as CompatibleRedis, compatible, type RedisConstructor } from "./redis.js";

export * as errors from "./errors.js";
export type * from "./types.js";

/** A client for Redis over HTTP with the methods and properties of @upstash/redis, on the runtime's own fetch. */
export type Redis = CompatibleRedis;

/** Makes clients: `new Redis({ url, token, backend })`. */
export const Redis = compatible<RedisConstructor<RedisConfigFastly>>(Client);

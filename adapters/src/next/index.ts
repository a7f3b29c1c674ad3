/**
 * Cache handlers for Next.js.
 *
 * @module warmline-adapters/next
 */
export {
  type CacheHandler,
  type CacheHandlerContext,
  type CacheHandlerValue,
  createCacheHandler,
} from "./cache-handler.js";
export type { NextCacheOptions } from "./store.js";
export type { Durations } from "./tag-times.js";
export { createUseCacheHandler, type UseCacheEntry, type UseCacheHandler } from "./use-cache-handler.js";

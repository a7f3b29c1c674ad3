/**
 * A function whose results are stored in Redis, and computed once at a time.
 *
 * @module warmline/cache
 */

export { type CachedFunction, cached } from "./cache/cached.js";
export type { CachedOptions } from "./cache/options.js";

// All entries in one CommonJS file, so that the package holds its code once; ES modules share chunks.
export * as index from "./index.js";
export * as testing from "./testing/index.js";
export { createRedisHandlers } from "./testing/redis-handlers.js";

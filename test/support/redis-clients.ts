import { createRequire } from "node:module";
import type { Redis } from "../../bench/node_modules/ioredis/built/index.js";

export type { Redis as IORedisClient, RedisOptions } from "../../bench/node_modules/ioredis/built/index.js";

// The bench depends on ioredis. The root can't, since another package wants an older one as its peer.
const requireFromBench = createRequire(new URL("../../bench/package.json", import.meta.url));

/** The class of ioredis. */
export const IORedis: typeof Redis = requireFromBench("ioredis");
/** `createClient` of node-redis. */
export const { createClient }: typeof import("@redis/client") = requireFromBench("@redis/client");

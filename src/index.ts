/**
 * The client on Node, Deno and Bun: connections that stay warm from one invocation to the next.
 *
 * @module warmline
 */
import { NodeTransport } from "./connection/node/transport.js";
import * as lazyFeatures from "./lazy-features.js";
import { markPageDynamic } from "./nextjs.js";
import { createRedisClass, type Platform, type Redis as RedisClient } from "./redis.js";
import { resolveMaxReplySize } from "./settings.js";
import { warmUp } from "./warm-up.js";

export type { CloseReason } from "./connection/node/connection.js";
export type {
  ConnectionClosedEvent,
  ConnectionOpenedEvent,
  ConnectionReusedEvent,
  RetryEvent,
  ThawEvent,
} from "./connection/node/events.js";
export * from "./public.js";

/** A client of a Redis over HTTP, on connections that stay warm between invocations. */
export type Redis = RedisClient;

const platform: Platform = {
  env: () => process.env,
  preconnects: () => process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined,
  lazyFeatures,
  beforeCalls: markPageDynamic,
  sha1: (text) => process.getBuiltinModule("node:crypto").createHash("sha1").update(text).digest("hex"),
  contextNow: () => process.getBuiltinModule("node:async_hooks").AsyncResource.bind((read) => read()),
  createTransport: ({ origin }, options, probe) => {
    const { keepAlive, maxConnections = 64 } = options;
    return new NodeTransport({
      origin,
      keepAlive: keepAlive ?? process.env.WARMLINE_KEEPALIVE !== "0",
      maxConnections,
      maxReplySize: resolveMaxReplySize(options),
      probe,
      whileOpening: () => warmUp(platform),
    });
  },
};

/** Makes clients. Make one outside the handler: `const redis = Redis.fromEnv()`. */
export const Redis = createRedisClass(platform);

/**
 * The client on Node, Deno and Bun: connections that stay warm from one invocation to the next.
 *
 * @module warmline
 */

import { inspectClient } from "./client/inspect.js";
import { markPageDynamic } from "./client/nextjs.js";
import { startLog } from "./client/node-log.js";
import type { Platform } from "./client/platform.js";
import { createRedisClass, type Redis as RedisClient } from "./client/redis.js";
import { channelTracer } from "./client/tracing-channels.js";
import { warmUp } from "./client/warm-up.js";
import { builtin } from "./transport/node/builtin.js";
import { NodeTransport } from "./transport/node/transport.js";
import { createNodeTransportOptions } from "./transport/node/transport-options.js";

export type { CloseReason } from "./transport/node/connection.js";
export type {
  CircuitEvent,
  ConnectionClosedEvent,
  ConnectionEvent,
  ConnectionOpenedEvent,
  ConnectionReusedEvent,
  RetryEvent,
  ThawEvent,
} from "./transport/node/events.js";
export type { RetryInfo } from "./transport/transport.js";
export * from "./types.js";

/** A client for Redis over HTTP, on connections that stay warm between invocations. */
export type Redis<V = unknown> = RedisClient<V>;

const platform: Platform = {
  env: () => process.env,
  preconnects: () => process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined,
  beforeCalls: markPageDynamic,
  tracer(debug) {
    startLog(debug);
    return channelTracer;
  },
  sha1: (text) => builtin("node:crypto").createHash("sha1").update(text).digest("hex"),
  contextNow: () => builtin("node:async_hooks").AsyncResource.bind((read) => read()),
  createTransport: ({ origin }, options, maxReplySize, probe) => {
    const settings = createNodeTransportOptions(origin, options, maxReplySize, probe);
    return new NodeTransport({ ...settings, whileOpening: warmUp });
  },
};

/** Creates clients. Create one outside the handler: `const redis = Redis.fromEnv()`. */
export const Redis = createRedisClass(platform);

Object.defineProperty(Redis.prototype, Symbol.for("nodejs.util.inspect.custom"), { value: inspectClient });

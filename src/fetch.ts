/**
 * The client for runtimes that have only `fetch`: Cloudflare Workers, edge functions, browsers.
 *
 * @module warmline/fetch
 */

import { createRedisClass, type Redis as RedisClient } from "./client/redis.js";
import { logHook, logRetries } from "./client/request-log.js";
import { createTracer } from "./execution/trace.js";
import { assertConfig } from "./options/assert-config.js";
import { createFetchTransport } from "./transport/fetch/transport.js";

export * from "./types.js";

/** A client for Redis over HTTP, on the runtime's own fetch. */
export type Redis<V = unknown> = RedisClient<V>;

/** Creates clients: `const redis = Redis.fromEnv()`, or `new Redis({ url, token })` where there is no `process.env`. */
export const Redis = createRedisClass({
  env: () => (globalThis as { process?: { env?: Record<string, string | undefined> } }).process?.env ?? {},
  tracer: (debug) => createTracer({ hook: debug ? logHook : undefined }),
  // `keepAlive` is not passed on: fetch's own `keepalive` lets a request outlive its page, and limits it to 64 KB. Some runtimes
  // reject an unknown name even if its value is undefined.
  createTransport: ({ origin }, options, maxReplySize) => {
    const { cache, backend, tls, proxy, circuit, debug } = options;
    assertConfig(
      !tls && !proxy && !circuit,
      'tls, proxy and circuit need the entry "warmline", which runs on Node',
    );
    const init = { ...(cache && { cache }), ...(backend && { backend }) };
    const transport = createFetchTransport(origin, init, maxReplySize);
    if (debug) logRetries(transport);
    return transport;
  },
});

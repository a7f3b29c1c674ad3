/**
 * Request handlers for msw: Redis over HTTP inside the process of your tests, without a port.
 *
 * @module warmline-gateway/msw
 */
import { http } from "msw";
import { createRedisHandlers, type RedisHandlers, type RedisHandlersOptions } from "./redis-handlers.js";

export type { RedisHandlers, RedisHandlersOptions };

/**
 * Creates handlers of msw that respond to clients of the Upstash REST protocol from an embedded engine in this process:
 * `setupServer(...redisHandlers({ url, token }))`. The engine starts with the first request.
 * @throws {TypeError} when url or token is missing or malformed; the message says what to do
 */
export function redisHandlers(options: RedisHandlersOptions = {}): RedisHandlers {
  return createRedisHandlers(http.all, options);
}

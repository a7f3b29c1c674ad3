/**
 * Subscriptions that share an event stream.
 *
 * @module warmline/shared-stream
 */

import type { Redis } from "./client/redis.js";
import { ArgumentError } from "./errors.js";
import type { ConfiguredClient } from "./execution/client-context.js";
import { checkClient, executorOf } from "./execution/executor-key.js";
import { createSubscriber } from "./features/subscribe/subscriptions.js";
import { checkCall } from "./options/check-call.js";
import { StreamMultiplexer } from "./shared-stream/multiplexer.js";

/** The subscribe methods of a client, over one event stream. */
export type SharedStream<V = unknown> = Pick<Redis<V>, "subscribe" | "psubscribe" | "ssubscribe">;

/**
 * Returns `subscribe`, `psubscribe` and `ssubscribe` of a client whose subscriptions share one event stream:
 * `sharedStream(redis).subscribe("orders")`. Call it once: each call makes a stream of its own.
 *
 * The stream opens with the first subscription and closes with the last one. A subscription whose reader is more than 1 MB
 * behind moves to a stream of its own, with a `gap` event. At endpoints without such streams, each subscription has its own.
 * @throws ArgumentError if `redis` is no client.
 */
export function sharedStream<V>(redis: Redis<V>, ...surplus: []): SharedStream<V> {
  checkClient(checkCall(ArgumentError, "sharedStream", 1, surplus), redis);
  const executor = executorOf(redis);
  const { context, settings } = executor;
  const multiplexer = new StreamMultiplexer(executor);
  const open = multiplexer.open.bind(multiplexer);
  // The endpoint and the transport of a client without url and token can change, so they are read when they are needed.
  const client: ConfiguredClient = {
    settings,
    context: Object.create(context, { transport: { value: { fetch: open } } }),
  };
  return {
    subscribe: (channels) => createSubscriber(client, "subscribe", channels),
    psubscribe: (patterns) => createSubscriber(client, "psubscribe", patterns),
    ssubscribe: (channels) => createSubscriber(client, "ssubscribe", channels),
  };
}

import { expect, test } from "vitest";
import type { Transport } from "../../src/connection/transport.js";
import { ConnectionError } from "../../src/errors.js";
import { createRedisClass } from "../../src/redis.js";

// What few use may be loaded when it is first used. Where that fails, nothing has been sent, and the error says so.

let attempts = 0;
const transport: Transport = {
  stats: { opened: 0, reused: 0, discarded: 0, retries: 0, thaws: 0 },
  attempt() {
    attempts++;
    return { abort() {} };
  },
  onRetry() {},
  preconnect: async () => {},
  close() {},
};

const Redis = createRedisClass({
  env: () => ({}),
  late: () => Promise.reject(new TypeError("Failed to fetch dynamically imported module")),
  createTransport: () => transport,
});
const redis = new Redis({ url: "http://127.0.0.1:1", token: "t" });

const uses: Record<string, () => Promise<unknown>> = {
  "an exactly-once write": () => redis.with({ writes: "exactly-once" }).incr("k"),
  "an exactly-once pipeline": () =>
    redis.with({ writes: "exactly-once" }).pipeline().incr("k").get("k").exec(),
  update: () => redis.update("k", () => 1),
  scanIterator: () => redis.scanIterator().next(),
  hscanIterator: () => redis.hscanIterator("k").next(),
  monitor: () => redis.monitor().next(),
  "a subscriber's ready": () => redis.subscribe("c").ready,
  "a loop over a subscriber": () => {
    const subscriber = redis.subscribe("c");
    subscriber.ready.catch(() => {});
    return subscriber[Symbol.asyncIterator]().next();
  },
};

test.each(Object.entries(uses))("%s rejects as not sent", async (_name, use) => {
  attempts = 0;
  const error = await use().catch((error: unknown) => error);
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ outcome: "unsent", cause: expect.any(TypeError) });
  expect(attempts).toBe(0);
});

test("a subscriber that is not loaded yet knows its channels, and can be given up", async () => {
  const subscriber = redis.subscribe(["a", "b", "a"]);
  subscriber.ready.catch(() => {});
  expect(subscriber.on("message", () => {})).toBe(subscriber);
  expect(subscriber.getSubscribedChannels()).toEqual(["a", "b"]);
  subscriber.removeAllListeners();
  await expect(subscriber.unsubscribe()).rejects.toBeInstanceOf(ConnectionError);
});

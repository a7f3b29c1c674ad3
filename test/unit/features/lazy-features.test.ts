import { expect, test } from "vitest";
import { z } from "zod";
import { createRedisClass } from "../../../src/client/redis.js";
import { ConnectionError } from "../../../src/errors.js";
import * as lazyFeatures from "../../../src/features/lazy-features.js";
import type { Transport } from "../../../src/transport/transport.js";

// What few use may be loaded when it is first used. Where that fails, nothing has been sent, and the error says so.

let attempts = 0;
const transport: Transport = {
  stats: { opened: 0, reused: 0, closed: 0, retries: 0, thaws: 0 },
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
  lazyFeatures: () => Promise.reject(new TypeError("Failed to fetch dynamically imported module")),
  createTransport: () => transport,
});
const redis = new Redis({ url: "http://127.0.0.1:1", token: "t" });

/** A class whose clients answer at once, and what they send. */
function slowlyLoaded() {
  const bodies: unknown[] = [];
  // As `import()` has it: loaded once, with a promise for everyone who asks.
  let loading: Promise<typeof lazyFeatures> | undefined;
  const Slow = createRedisClass({
    env: () => ({}),
    lazyFeatures: async () => {
      loading ??= new Promise((resolve) => setTimeout(resolve, 20, lazyFeatures));
      return loading;
    },
    createTransport: () => ({
      ...transport,
      attempt(_safe, listener) {
        const { body } = listener.request;
        const sent: unknown[] = JSON.parse(String(body));
        bodies.push(sent);
        const reply = { result: null };
        listener.onStart();
        listener.onResponse({
          status: 200,
          header: (name) => (name === "content-type" ? "application/json" : undefined),
          body: Buffer.from(JSON.stringify(Array.isArray(sent[0]) ? sent.map(() => reply) : reply)),
        });
        return { abort() {} };
      },
    }),
  });
  return { bodies, redis: new Slow({ url: "http://127.0.0.1:2", token: "t" }) };
}

test("commands of a turn go in the order issued, with what one of them needs, and don't wait after that", async () => {
  const { bodies, redis } = slowlyLoaded();
  await Promise.all([redis.set("k", 1), redis.exec(["SET", "k", "2"]), redis.get("k"), redis.set("k", 3)]);
  expect(bodies.splice(0)).toEqual([
    [
      ["SET", "k", "1"],
      ["SET", "k", "2"],
      ["GET", "k"],
      ["SET", "k", "3"],
    ],
  ]);
  await Promise.all([redis.get("k"), redis.exec(["SET", "k", "2"]), redis.get("k", { schema: z.any() })]);
  expect(bodies.splice(0)).toEqual([
    [
      ["GET", "k"],
      ["SET", "k", "2"],
      ["GET", "k"],
    ],
  ]);
  const own = redis.with({ timeout: 1_000 });
  await Promise.all([own.get("k", { schema: z.any() }), own.set("k", 4)]);
  expect(bodies.splice(0)).toEqual([
    [
      ["GET", "k"],
      ["SET", "k", "4"],
    ],
  ]);
});

test("commands of different turns, as of different requests in one process, don't travel together", async () => {
  const { bodies, redis: other } = slowlyLoaded();
  const one = [other.exec(["SET", "one", "1"]), other.get("one")];
  await new Promise(setImmediate);
  const two = [other.exec(["SET", "two", "2"]), other.get("two")];
  await Promise.all([...one, ...two]);
  expect(bodies).toEqual([
    [
      ["SET", "one", "1"],
      ["GET", "one"],
    ],
    [
      ["SET", "two", "2"],
      ["GET", "two"],
    ],
  ]);
});

const uses: Record<string, () => Promise<unknown>> = {
  "an exactly-once write": () => redis.with({ writes: "exactly-once" }).incr("k"),
  "an exactly-once pipeline": () =>
    redis.with({ writes: "exactly-once" }).pipeline().incr("k").get("k").exec(),
  "a command given word by word": () => redis.exec(["INCR", "k"]),
  "a checked read": () => redis.get("k", { schema: z.string() }),
  "a checked read in a transaction": () => redis.multi().incr("k").get("k", { schema: z.string() }).exec(),
  "a script's digest": () => redis.createScript("return 1").exec(),
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

test("where loading never ends it is given up in the time of a call, and nothing was sent", async () => {
  attempts = 0;
  const Hanging = createRedisClass({
    env: () => ({}),
    lazyFeatures: () => new Promise(() => {}),
    createTransport: () => transport,
  });
  const hanging = new Hanging({ url: "http://127.0.0.1:1", token: "t", timeout: 30 });
  for (const call of [
    hanging.exec(["INCR", "k"]),
    hanging.with({ writes: "exactly-once" }).incr("k"),
    hanging.multi().get("k", { schema: z.string() }).exec(),
    hanging.scanIterator().next(),
  ]) {
    const error = await call.catch((error: unknown) => error);
    expect(error).toBeInstanceOf(ConnectionError);
    expect(error).toMatchObject({ outcome: "unsent" });
  }
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

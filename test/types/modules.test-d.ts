import { describe, expectTypeOf, test } from "vitest";
import { bf, cms, ft, tdigest, topk, ts } from "../../src/commands/modules/index.js";
import type { ChannelMessage, PatternMessage, Redis, Subscriber } from "../../src/index.js";

declare const redis: Redis;

interface Order {
  id: number;
}

describe("modules", () => {
  test("module methods of a client return promises", () => {
    expectTypeOf(bf(redis).add("seen", 1)).toEqualTypeOf<Promise<0 | 1>>();
    expectTypeOf(bf(redis).mexists("seen", 1, 2)).toEqualTypeOf<Promise<(0 | 1)[]>>();
    expectTypeOf(cms(redis).incrby("c", { a: 1 })).resolves.toBeArray();
    expectTypeOf(topk(redis).count("t", "a")).resolves.toBeArray();
    expectTypeOf(tdigest(redis).quantile("d", 0.5)).toEqualTypeOf<Promise<number[]>>();
    expectTypeOf(ts(redis).add("t", "*", 1)).toEqualTypeOf<Promise<number>>();
    expectTypeOf(ft(redis)).toHaveProperty("search");
    expectTypeOf(ft(redis).aggregate("i", "*")).resolves.toEqualTypeOf<{
      rows: Record<string, any>[];
      cursor?: number;
    }>();
  });

  test("module methods of a pipeline and a transaction return the batch, with one more result", () => {
    const chained = bf(bf(redis.pipeline()).add("seen", 1)).exists("seen", 1).incr("n");
    expectTypeOf(chained.exec()).resolves.toEqualTypeOf<[0 | 1, 0 | 1, number]>();
    const atomic = ts(redis.multi().get<Order>("o")).add("t", "*", 1);
    expectTypeOf(atomic.exec()).resolves.toEqualTypeOf<[Order | null, number]>();
  });

  test("wrong shapes don't compile", () => {
    // @ts-expect-error the item is missing
    bf(redis).add("seen");
    // @ts-expect-error amounts are numbers
    cms(redis).incrby("c", { a: "1" });
    // @ts-expect-error a fraction, not text
    tdigest(redis).quantile("d", "0.5");
    // @ts-expect-error not something that takes commands
    bf({}).add("seen", 1);
  });
});

describe("subscribers", () => {
  test("messages take a type parameter", async () => {
    const subscriber = redis.subscribe<Order>(["orders"]);
    expectTypeOf(subscriber).toEqualTypeOf<Subscriber<Order>>();
    subscriber.on("message", (event) => expectTypeOf(event).toEqualTypeOf<ChannelMessage<Order>>());
    subscriber.on("message:orders", (event) => expectTypeOf(event.message).toEqualTypeOf<Order>());
    subscriber.on("subscribe", (count) => expectTypeOf(count).toBeNumber());
    subscriber.on("gap", (event) => expectTypeOf(event.channel).toBeString());
    subscriber.on("error", (error) => expectTypeOf(error).toEqualTypeOf<Error>());
    for await (const { channel, message, pattern } of subscriber) {
      expectTypeOf(channel).toBeString();
      expectTypeOf(message).toEqualTypeOf<Order>();
      expectTypeOf(pattern).toEqualTypeOf<string | undefined>();
    }
    expectTypeOf(subscriber.unsubscribe(["orders"])).toEqualTypeOf<Promise<void>>();
    expectTypeOf(subscriber.ready).toEqualTypeOf<Promise<void>>();
  });

  test("pattern messages take a type parameter", () => {
    const subscriber = redis.psubscribe<Order>("orders:*");
    subscriber.on("pmessage", (event) => expectTypeOf(event).toEqualTypeOf<PatternMessage<Order>>());
  });

  test("the lines of MONITOR are strings", async () => {
    for await (const line of redis.monitor()) expectTypeOf(line).toBeString();
  });

  test("wrong shapes don't compile", () => {
    // @ts-expect-error a channel's name is text
    redis.subscribe(1);
    // @ts-expect-error no such event
    redis.subscribe("c").on("mesage", () => {});
    // @ts-expect-error a count, not a message
    redis.subscribe("c").on("subscribe", ({ channel }) => channel);
    // @ts-expect-error a batch does not wait
    redis.pipeline().subscribe("c");
  });
});

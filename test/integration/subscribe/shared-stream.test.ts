import { afterEach, expect, test } from "vitest";
import { startNetworkProxy } from "warmline-testbed";
import type { Gateway, GatewayOptions } from "../../../gateway/src/index.js";
import { Redis, type Subscriber } from "../../../src/index.js";
import { sharedStream } from "../../../src/shared-stream.js";
import { describeEngines, embeddedEngine } from "../gateway/engines.js";
import { metric, numsub } from "./listen.js";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A client, and its shared stream. */
function clientOf({ url, token }: Pick<Gateway, "url" | "token">) {
  const redis = new Redis({ url, token });
  return { redis, stream: sharedStream(redis) };
}

/** The events of a subscriber, in order. */
function record(subscriber: Subscriber): unknown[] {
  cleanups.push(() => subscriber.unsubscribe());
  const heard: unknown[] = [];
  for (const type of ["message", "pmessage", "smessage"] as const)
    subscriber.on(type, ({ channel, message }) => heard.push([channel, message]));
  subscriber.on("gap", ({ channel }) => heard.push(["gap", channel]));
  subscriber.on("error", (error) => heard.push(error));
  return heard;
}

/** A proxy to a gateway, and the paths of the requests that it passed on, without the ids of streams. */
async function startRecorder({ url }: Pick<Gateway, "url">) {
  const paths: string[] = [];
  const proxy = await startNetworkProxy({ to: { port: Number(new URL(url).port) } });
  cleanups.push(() => proxy.close());
  proxy.onConnection(() => ({
    exchange({ request }) {
      const [, path = ""] = request.toString().split(" ", 2);
      paths.push(path.replace(/^\/events\/.*/, "/events/<id>"));
      return undefined;
    },
  }));
  return { url: proxy.url, paths };
}

describeEngines("a shared stream", (setup) => {
  const start = async (options?: Partial<GatewayOptions>) => {
    const { gateway, stop } = await setup.start({ shutdownTimeout: 0, ...options });
    cleanups.push(stop);
    return gateway;
  };

  test("subscriptions of every kind share a stream, which opens with the first and closes with the last", async () => {
    const gateway = await start();
    const { redis, stream } = clientOf(gateway);
    const channels = stream.subscribe<string>(["a", "b,c"]);
    const patterns = stream.psubscribe<string>("p*");
    const shards = stream.ssubscribe<string>("s");
    const all = [channels, patterns, shards];
    const heard = all.map(record);
    for (const { ready } of all) await ready;
    expect(await metric(gateway, "streams_open")).toBe(1);
    await redis.publish("a", "1");
    await redis.publish("b,c", "two\nlines");
    await redis.publish("pp", "3");
    await redis.spublish("s", "4");
    await expect
      .poll(() => heard)
      .toEqual([
        [
          ["a", 1],
          ["b,c", "two\nlines"],
        ],
        [["pp", 3]],
        [["s", 4]],
      ]);
    await channels.unsubscribe();
    await expect.poll(() => numsub(gateway, "a")).toBe(0);
    await patterns.unsubscribe();
    await shards.unsubscribe();
    await expect.poll(() => metric(gateway, "streams_open")).toBe(0);
    // It opens again.
    const again = stream.subscribe("a");
    const heardAgain = record(again);
    await again.ready;
    await redis.publish("a", 5);
    await expect.poll(() => heardAgain).toEqual([["a", 5]]);
  });

  test("subscribers of one channel share it, and the last one gives it up", async () => {
    const gateway = await start();
    const { redis, stream } = clientOf(gateway);
    const [first, second] = [stream.subscribe("a"), stream.subscribe("a")];
    const heard = [record(first), record(second)];
    await Promise.all([first.ready, second.ready]);
    const third = stream.subscribe("a");
    heard.push(record(third));
    await third.ready;
    await redis.publish("a", 1);
    await expect.poll(() => heard).toEqual([[["a", 1]], [["a", 1]], [["a", 1]]]);
    await first.unsubscribe();
    await redis.publish("a", 2);
    await expect.poll(() => heard[2]!.length).toBe(2);
    expect(heard[0]).toEqual([["a", 1]]);
    await second.unsubscribe();
    // Before the request that removes it.
    const unsubscribed = third.unsubscribe();
    const last = stream.subscribe("a");
    const heardLast = record(last);
    await unsubscribed;
    await last.ready;
    await redis.publish("a", 3);
    await expect.poll(() => heardLast).toEqual([["a", 3]]);
  });

  test("subscribers that come and go at random miss nothing while they are subscribed", async () => {
    const gateway = await start();
    const { redis, stream } = clientOf(gateway);
    const keep = stream.subscribe("keep");
    const kept = record(keep);
    await keep.ready;
    let sent = 0;
    const visit = async (name: string, rounds: number) => {
      for (let round = 0; round < rounds; round++) {
        const subscriber = stream.subscribe<number>(name);
        const heard = record(subscriber);
        await subscriber.ready;
        const message = ++sent;
        await redis.publish(name, message);
        await redis.publish("keep", message);
        await expect.poll(() => heard).toContainEqual([name, message]);
        expect(heard).not.toContainEqual(["gap", name]);
        await subscriber.unsubscribe();
      }
    };
    // Two visitors of each channel.
    await Promise.all(["a", "a", "b", "b", "c", "c"].map((name) => visit(name, 15)));
    await expect.poll(() => kept.length).toBe(sent);
    expect(new Set(kept.map((event) => (event as [string, number])[1])).size).toBe(sent);
    for (const name of ["a", "b", "c"]) await expect.poll(() => numsub(gateway, name)).toBe(0);
    expect(await metric(gateway, "streams_open")).toBe(1);
  });

  test("a channel that the token may not use is an error of its own, among many", async () => {
    const gateway = await start({ tokens: [{ name: "app", token: "app", prefix: "app:" }] });
    const { url, paths } = await startRecorder(gateway);
    const { stream } = clientOf({ url, token: "app" });
    const publisher = clientOf({ url: gateway.url, token: "app" }).redis;
    const names = Array.from({ length: 40 }, (_, n) => (n === 17 ? "other" : `app:${n}`));
    const subscribers = names.map((name) => stream.subscribe(name));
    const heard = subscribers.map(record);
    const settled = await Promise.allSettled(subscribers.map(({ ready }) => ready));
    expect(settled.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([17]);
    expect(settled[17]).toMatchObject({ reason: { name: "RedisError", code: "NOPERM" } });
    expect(heard[17]).toEqual([expect.objectContaining({ code: "NOPERM" })]);
    for (const name of names) if (name !== "other") await publisher.publish(name, 1);
    for (const [n, name] of names.entries())
      if (n !== 17) await expect.poll(() => heard[n]).toEqual([[name, 1]]);
    // One stream for all others.
    expect(paths.filter((path) => path.startsWith("/subscribe/"))).toEqual(["/subscribe/other"]);
  });

  test("further streams open when one is full", async () => {
    const gateway = await start({ maxStreamChannels: 3 });
    const { redis, stream } = clientOf(gateway);
    const names = ["a", "b", "c", "d", "e", "f", "g"];
    const subscriber = stream.subscribe<string>(names.slice(0, 5));
    const heard = record(subscriber);
    await subscriber.ready;
    const late = names.slice(5).map((name) => stream.subscribe(name));
    for (const each of late) {
      heard.push(...record(each));
      each.on("message", ({ channel, message }) => heard.push([channel, message]));
      await each.ready;
    }
    expect(await metric(gateway, "streams_open")).toBe(3);
    for (const name of names) await redis.publish(name, 1);
    await expect.poll(() => heard.length).toBe(7);
    await subscriber.unsubscribe();
    for (const each of late) await each.unsubscribe();
    await expect.poll(() => metric(gateway, "streams_open")).toBe(0);
  });
});

test("a thousand channels come over one stream, and are added by one request", async () => {
  const { gateway, stop } = await embeddedEngine.start({ shutdownTimeout: 0 });
  cleanups.push(stop);
  const { url, paths } = await startRecorder(gateway);
  const { stream } = clientOf({ url, token: gateway.token });
  const publisher = clientOf(gateway).redis;
  const names = Array.from({ length: 1_000 }, (_, n) => `channel:${n}`);
  const subscriber = stream.subscribe<number>(names.slice(0, 900));
  const others = names.slice(900).map((name) => stream.subscribe<number>(name));
  const heard = [subscriber, ...others].map(record);
  for (const { ready } of [subscriber, ...others]) await ready;
  expect(paths).toEqual(["/events", "/events/<id>"]);
  await Promise.all(names.map((name, n) => publisher.publish(name, n)));
  await expect.poll(() => heard.flat().length).toBe(1_000);
  expect(new Map(heard.flat() as [string, number][])).toEqual(new Map(names.map((name, n) => [name, n])));
  await Promise.all(others.slice(0, 99).map((each) => each.unsubscribe()));
  await expect.poll(() => numsub(gateway, "channel:998")).toBe(0);
  expect(await numsub(gateway, "channel:999")).toBe(1);
  expect(paths).toEqual(["/events", "/events/<id>", "/events/<id>"]);
});

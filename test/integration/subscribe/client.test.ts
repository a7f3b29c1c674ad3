import { afterEach, describe, expect, test } from "vitest";
import { Redis as FetchRedis } from "../../../src/fetch.js";
import {
  ArgumentError,
  ConfigError,
  Redis as NodeRedis,
  type RedisOptions,
  type Subscriber,
} from "../../../src/index.js";
import { sharedByTests } from "../../support/lifetime.js";
import { scaled } from "../../support/random-tests.js";
import { describeEngines } from "../gateway/engines.js";
import { metric } from "../gateway/http.js";
import { numsub } from "./listen.js";

type Create = (options: RedisOptions) => NodeRedis;

const entries: [name: string, create: Create][] = [
  ["Node's entry", (options) => new NodeRedis(options)],
  ["the fetch entry", (options) => new FetchRedis(options)],
];

describeEngines("subscribers", (setup) => {
  const subscribers: Subscriber[] = [];
  const gateway = sharedByTests(() => setup.start());
  afterEach(async () => {
    for (const subscriber of subscribers.splice(0)) await subscriber.unsubscribe();
    await expect.poll(() => metric(gateway, "streams_open")).toBe(0);
  });

  const keep = <T>(subscriber: Subscriber<T>) => {
    subscribers.push(subscriber);
    return subscriber;
  };

  describe.each(entries)("%s", (_, create) => {
    const make = (options: RedisOptions = {}) =>
      create({ url: gateway.url, token: gateway.token, ...options });

    test("messages arrive as events, in order, decoded like values", async () => {
      const redis = make();
      const subscriber = keep(redis.subscribe<unknown>("news"));
      const heard: unknown[] = [];
      subscriber.on("message", (event) => heard.push(event));
      subscriber.on("message:news", ({ message }) => heard.push(["named", message]));
      await subscriber.ready;
      expect(subscriber.getSubscribedChannels()).toEqual(["news"]);
      const messages = [{ name: "Ada", n: [1, null] }, "plain, text", 42, "00123", 'é€😀 "\\'];
      for (const message of messages) expect(await redis.publish("news", message)).toBe(1);
      await expect.poll(() => heard.length).toBe(2 * messages.length);
      expect(heard).toEqual(
        messages.flatMap((message) => [{ channel: "news", message }, ["named", message]]),
      );
    });

    test("sharded channels deliver events, but not those of ordinary channels with the same name", async () => {
      const redis = make();
      const subscriber = keep(redis.ssubscribe<unknown>(["jobs", "a,b"]));
      const heard: unknown[] = [];
      for (const type of ["smessage", "smessage:a,b", "ssubscribe", "sunsubscribe", "message"] as const)
        subscriber.on(type, (event) => heard.push([type, event]));
      await subscriber.ready;
      expect(heard.splice(0)).toEqual([
        ["ssubscribe", 1],
        ["ssubscribe", 1],
      ]);
      const message = { text: "one\ntwo" };
      expect(await redis.spublish("jobs", message)).toBe(1);
      expect(await redis.publish("jobs", "to all")).toBe(0);
      await expect.poll(() => heard.length).toBe(1);
      expect(await redis.spublish("a,b", 1)).toBe(1);
      await expect.poll(() => heard.length).toBe(3);
      expect(heard.splice(0)).toEqual([
        ["smessage", { channel: "jobs", message }],
        ["smessage", { channel: "a,b", message: 1 }],
        ["smessage:a,b", { channel: "a,b", message: 1 }],
      ]);
      const next = subscriber[Symbol.asyncIterator]().next();
      expect(await redis.spublish("jobs", "last")).toBe(1);
      expect((await next).value).toEqual({ channel: "jobs", message: "last" });
      heard.length = 0;
      await subscriber.unsubscribe("jobs");
      expect(heard).toEqual([["sunsubscribe", 1]]);
      expect(subscriber.getSubscribedChannels()).toEqual(["a,b"]);
    });

    test("channels may have any name", async () => {
      const redis = make();
      const names = ["a,b", "with space/and?more#é😀", "%41", "x\ny", "...", "+"];
      const subscriber = keep(redis.subscribe<string>(names));
      const heard: [string, string][] = [];
      for (const name of names) {
        subscriber.on(`message:${name}`, ({ channel, message }) => heard.push([channel, message]));
      }
      await subscriber.ready;
      for (const name of names) expect(await redis.publish(name, `to ${name}`)).toBe(1);
      await expect.poll(() => heard.length).toBe(names.length);
      expect(new Map(heard)).toEqual(new Map(names.map((name) => [name, `to ${name}`])));
    });

    test("patterns match channels", async () => {
      const redis = make();
      const subscriber = keep(redis.psubscribe<string>(["n*", "*,?"]));
      const heard: unknown[] = [];
      const counts: number[] = [];
      subscriber.on("pmessage", (event) => heard.push(event));
      subscriber.on("pmessage:n*", ({ channel }) => heard.push(channel));
      subscriber.on("psubscribe", (count) => counts.push(count));
      await subscriber.ready;
      expect(counts).toEqual([1, 1]);
      await redis.publish("news", "1");
      await expect.poll(() => heard.length).toBe(2);
      await redis.publish("a\nb,c", "x\ny");
      await expect.poll(() => heard.length).toBe(3);
      expect(heard).toEqual([
        { pattern: "n*", channel: "news", message: 1 },
        "news",
        { pattern: "*,?", channel: "a\nb,c", message: "x\ny" },
      ]);
    });

    test("leaving a for await loop unsubscribes", async () => {
      const redis = make();
      const subscriber = redis.subscribe<number>(["one", "two"]);
      void subscriber.ready.then(async () => {
        for (let n = 1; n <= 3; n++) await redis.publish(n % 2 ? "one" : "two", n);
      });
      const heard: unknown[] = [];
      for await (const { channel, message } of subscriber) {
        heard.push(`${channel} ${message}`);
        if (heard.length === 3) break;
      }
      expect(heard.sort()).toEqual(["one 1", "one 3", "two 2"]);
      expect(subscriber.getSubscribedChannels()).toEqual([]);
      await expect.poll(() => numsub(gateway, "one")).toBe(0);
    });

    test("unsubscribe ends the request, the subscription and the loops", async () => {
      const redis = make();
      const subscriber = redis.subscribe<string>(["x", "y"]);
      const left: number[] = [];
      subscriber.on("unsubscribe", (count) => left.push(count));
      await subscriber.ready;
      const loop = (async () => {
        for await (const _ of subscriber);
      })();
      await subscriber.unsubscribe(["x"]);
      expect(subscriber.getSubscribedChannels()).toEqual(["y"]);
      await expect.poll(() => numsub(gateway, "x")).toBe(0);
      expect(await numsub(gateway, "y")).toBe(1);
      await subscriber.unsubscribe();
      await loop;
      await expect.poll(() => numsub(gateway, "y")).toBe(0);
      expect(left).toEqual([1, 0]);
      await subscriber.unsubscribe();
    });

    test("a listener that unsubscribes is not called again", async () => {
      const redis = make();
      const subscriber = redis.subscribe<number>("once");
      const heard: number[] = [];
      subscriber.on("message", ({ message }) => {
        heard.push(message);
        void subscriber.unsubscribe(["once"]);
      });
      await subscriber.ready;
      await Promise.all([redis.publish("once", 1), redis.publish("once", 2), redis.publish("once", 3)]);
      await expect.poll(() => numsub(gateway, "once")).toBe(0);
      expect(heard).toEqual([1]);
    });

    test("removeAllListeners removes every listener", async () => {
      const redis = make();
      const subscriber = keep(redis.subscribe<number>("off"));
      const heard: string[] = [];
      subscriber.on("message", () => heard.push("first")).on("message", () => heard.push("second"));
      await subscriber.ready;
      await redis.publish("off", 1);
      await expect.poll(() => heard).toEqual(["first", "second"]);
      subscriber.removeAllListeners();
      let again = 0;
      subscriber.on("message", () => again++);
      await redis.publish("off", 2);
      await expect.poll(() => again).toBe(1);
      expect(heard.length).toBe(2);
    });

    test("a wrong token emits an error event and rejects ready", async () => {
      const redis = make({ token: "wrong" });
      const heard: Error[] = [];
      const subscriber = redis.subscribe(["a", "b"]).on("error", (error) => heard.push(error));
      await expect(subscriber.ready).rejects.toMatchObject({
        name: "RedisError",
        code: "WRONGPASS",
        command: "SUBSCRIBE",
      });
      await expect.poll(() => heard.length).toBe(2);
      expect(subscriber.getSubscribedChannels()).toEqual([]);
    });

    test("an error ends a loop", async () => {
      const subscriber = make({ token: "wrong" }).psubscribe("a*");
      const loop = (async () => {
        for await (const _ of subscriber);
      })();
      await expect(loop).rejects.toMatchObject({ code: "WRONGPASS", command: "PSUBSCRIBE" });
    });

    test("an endpoint that can't be reached emits an error event after the retries", async () => {
      const subscriber = make({ url: "http://127.0.0.1:1", retry: { retries: 1, backoff: () => 1 } });
      const heard: Error[] = [];
      const listening = subscriber.subscribe("a").on("error", (error) => heard.push(error));
      await expect(listening.ready).rejects.toMatchObject({ name: "ConnectionError", outcome: "unsent" });
      expect(heard.length).toBe(1);
    });

    test("a missing url, a requester and invalid names are refused", async () => {
      await expect(make({ url: "" }).subscribe("a").ready).rejects.toBeInstanceOf(ConfigError);
      const requested = create({ request: async () => ({ result: "PONG" }) } as never);
      expect(await requested.ping()).toBe("PONG");
      await expect(requested.subscribe("a").ready).rejects.toThrow(/not a requester/);
      const redis = make();
      for (const name of ["", ".", "..", "\ud800", undefined as never]) {
        expect(() => redis.subscribe(name)).toThrow(ArgumentError);
      }
      expect(() => redis.psubscribe([])).toThrow(/pass channels/);
    });

    test("a message that the codec can't decode emits an error event, and the next one arrives", async () => {
      const codec = {
        encode: (value: unknown) => String(value),
        decode: (stored: Uint8Array) => {
          const text = new TextDecoder().decode(stored);
          if (text === "bad") throw new RangeError("bad");
          return text.toUpperCase();
        },
      };
      const redis = make({ codec });
      const heard: unknown[] = [];
      const subscriber = keep(redis.subscribe("codec"));
      subscriber.on("message", ({ message }) => heard.push(message));
      subscriber.on("error", (error) => heard.push(error));
      await subscriber.ready;
      await redis.publish("codec", "bad");
      await redis.publish("codec", "good");
      await expect.poll(() => heard).toEqual([new RangeError("bad"), "GOOD"]);
    });

    test("a signal ends the subscription", async () => {
      const controller = new AbortController();
      const subscriber = make().with({ signal: controller.signal }).subscribe("signal");
      await subscriber.ready;
      const loop = (async () => {
        for await (const _ of subscriber);
      })();
      controller.abort(new Error("enough"));
      await expect(loop).rejects.toThrow("enough");
      await expect.poll(() => numsub(gateway, "signal")).toBe(0);
      const late = make().with({ signal: controller.signal }).subscribe("signal");
      await expect(late.ready).rejects.toThrow("enough");
    });

    test("unsubscribe() before the confirmation rejects `ready`", async () => {
      const subscriber = make().subscribe("early");
      await subscriber.unsubscribe();
      await expect(subscriber.ready).rejects.toThrow(/cancelled/);
    });

    test("a slow loop gets every message", async () => {
      const redis = make();
      const subscriber = redis.subscribe<number>("many");
      const total = scaled(5_000);
      let next = 0;
      const loop = (async () => {
        for await (const { message } of subscriber) {
          expect(message).toBe(next++);
          if (next === 1) await new Promise((resolve) => setTimeout(resolve, 300));
          if (next === total) break;
        }
      })();
      await subscriber.ready;
      await Promise.all(Array.from({ length: total }, (_, n) => redis.publish("many", n)));
      await loop;
      expect(next).toBe(total);
    });

    test("monitor() yields one line for each command", async () => {
      const redis = make();
      const lines: string[] = [];
      const watching = (async () => {
        for await (const line of redis.monitor()) {
          if (/"get" "seen"/i.test(line)) break;
          lines.push(line);
        }
      })();
      await expect
        .poll(async () => {
          await redis.set("k", "v\n");
          return lines.some((line) => /^[\d.]+ \[.*\] "set" "k" "v\\n"$/i.test(line));
        })
        .toBe(true);
      await redis.get("seen");
      await watching;
      await expect.poll(() => metric(gateway, "streams_open")).toBe(0);
      const refused = make({ token: "wrong" }).monitor();
      await expect(refused.next()).rejects.toMatchObject({ code: "WRONGPASS", command: "MONITOR" });
    });
  });
});

import { Redis } from "@upstash/redis";
import { beforeAll, expect, test } from "vitest";
import { sharedByTests } from "../../support/lifetime.js";
import { describeEngines } from "../gateway/engines.js";
import { numsub } from "./listen.js";

describeEngines("the subscriber of @upstash/redis, unmodified", (setup) => {
  let redis: Redis;
  const gateway = sharedByTests(() => setup.start({ streamHeartbeat: 50 }));
  beforeAll(() => {
    redis = new Redis({ url: gateway.url, token: gateway.token, enableTelemetry: false });
  });

  test("the subscriber gets messages of channels, whatever they contain, and unsubscribes", async () => {
    const subscriber = redis.subscribe<unknown>(["chat", "other"]);
    const heard: unknown[] = [];
    const counts: number[] = [];
    const errors: Error[] = [];
    subscriber.on("subscribe", (count) => counts.push(count));
    subscriber.on("message", (event) => heard.push(event));
    subscriber.on("message:other", ({ message }) => heard.push(["other", message]));
    subscriber.on("error", (error) => errors.push(error));
    await expect.poll(() => counts).toEqual([1, 1]);
    const messages = [
      { name: "Ada", tags: ["é", "😀"] },
      "plain, text",
      "one\ntwo\r\n",
      '{\n "a": [1,\n 2]\n}',
      42,
      "",
    ];
    for (const message of messages) await redis.publish("chat", message);
    await expect.poll(() => heard.length).toBe(messages.length);
    const read = messages.map((message) => (message === messages[3] ? { a: [1, 2] } : message));
    expect(heard).toEqual(read.map((message) => ({ channel: "chat", message })));
    await redis.publish("other", "x");
    await expect
      .poll(() => heard.slice(messages.length))
      .toEqual([{ channel: "other", message: "x" }, ["other", "x"]]);
    await subscriber.unsubscribe(["chat"]);
    await expect.poll(() => numsub(gateway, "chat")).toBe(0);
    expect(await numsub(gateway, "other")).toBe(1);
    await subscriber.unsubscribe();
    await expect.poll(() => numsub(gateway, "other")).toBe(0);
    expect(errors).toEqual([]);
  });

  test("the subscriber gets the error of a wrong token", async () => {
    const stranger = new Redis({ url: gateway.url, token: "wrong", retry: false, enableTelemetry: false });
    const errors: Error[] = [];
    stranger.subscribe("chat").on("error", (error) => errors.push(error));
    await expect.poll(() => errors.map(String)).toEqual([expect.stringMatching(/WRONGPASS/)]);
  });
});

import { Redis } from "@upstash/redis";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Gateway } from "../../../gateway/src/index.js";
import { describeEngines } from "./engines.js";
import { call } from "./http.js";

describeEngines("@upstash/redis, unmodified", (setup) => {
  let gateway: Gateway;
  let stop: () => Promise<void>;
  let redis: Redis;
  const make = (options: object = {}) =>
    new Redis({ url: gateway.url, token: gateway.token, retry: false, enableTelemetry: false, ...options });
  beforeAll(async () => {
    ({ gateway, stop } = await setup.start());
    redis = make();
  });
  afterAll(() => stop());
  beforeEach(() => redis.flushall());

  test("automatic pipelining sends one request", async () => {
    const batching = make({ enableAutoPipelining: true });
    const requests = async () =>
      Number(/^warmline_gateway_requests_total (\d+)$/m.exec((await call(gateway, "/metrics")).text)?.[1]);
    const before = await requests();
    const sets = Array.from({ length: 20 }, (_, i) => batching.set(`k${i}`, { i }));
    expect(await Promise.all(sets)).toEqual(sets.map(() => "OK"));
    expect(await Promise.all(sets.map((_, i) => batching.get(`k${i}`)))).toEqual(sets.map((_, i) => ({ i })));
    expect((await requests()) - before).toBe(3);
  });

  test("the client works without base64", async () => {
    const plain = make({ responseEncoding: false });
    await plain.set("k", { text: "é😀" });
    expect(await plain.get("k")).toEqual({ text: "é😀" });
    expect(await plain.pipeline().get("k").exec()).toEqual([{ text: "é😀" }]);
  });

  test("the client gets its sync token", async () => {
    const fresh = make();
    expect(fresh.readYourWritesSyncToken).toBe("");
    await fresh.set("k", "v");
    expect(fresh.readYourWritesSyncToken).toBeTruthy();
    expect(await fresh.get("k")).toBe("v");
  });
});

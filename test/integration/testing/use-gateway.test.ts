import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis } from "warmline";
import { useGateway } from "warmline-gateway/testing";

/** As the module of a handler creates it: before the hooks have set the environment. */
const atModuleLevel = Redis.fromEnv();

describe("useGateway with vitest's hooks", () => {
  const gateway = useGateway({ beforeAll, beforeEach, afterAll });

  test.each([1, 2])("every test gets an empty gateway through the environment: %i", async () => {
    expect(process.env.WARMLINE_URL).toBe(gateway.url);
    expect(process.env.WARMLINE_TOKEN).toBe(gateway.token);
    expect(await Redis.fromEnv().incr("n")).toBe(1);
    expect(await new Redis(gateway).incr("n")).toBe(2);
  });

  test("a client that was created before the hooks ran uses the gateway", async () => {
    expect(await atModuleLevel.incr("n")).toBe(1);
    expect(await Redis.fromEnv().get("n")).toBe(1);
  });

  test("fake timers stop neither the gateway nor the client", async () => {
    vi.useFakeTimers();
    try {
      const redis = Redis.fromEnv();
      expect(await redis.set("k", 1, { px: 60_000 })).toBe("OK");
      expect(await redis.pipeline().get("k").pttl("k").exec()).toEqual([1, expect.any(Number)]);
    } finally {
      vi.useRealTimers();
    }
  });

  test("a faked date does not affect the gateway", async () => {
    vi.useFakeTimers({ toFake: ["Date"], now: new Date("2030-01-01") });
    try {
      const redis = Redis.fromEnv();
      await redis.set("k", 1, { ex: 60 });
      vi.setSystemTime(new Date("2031-01-01"));
      expect(await redis.ttl("k")).toBeCloseTo(60, -1);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("outside of its tests", () => {
  test("the environment is restored afterwards", () => {
    expect(process.env.WARMLINE_URL).toBeUndefined();
  });

  test("reading the gateway too early is an error that says when to", () => {
    const ignore = () => {};
    const gateway = useGateway({ before: ignore, beforeEach: ignore, after: ignore });
    expect(() => gateway.url).toThrow("inside a test");
  });

  test("useGateway without hooks, and without global ones, is an error that says which to pass", () => {
    expect(() => useGateway()).toThrow("useGateway({ before, beforeEach, after }) for node:test");
  });
});

import { beforeEach, expect, test, vi } from "vitest";
import { Redis, type RedisOptions } from "../../../src/index.js";

// In Next.js every command is preceded by a call of fetch that must not be cached.

const requested: unknown[] = [];
let response: () => Promise<Response>;
beforeEach(() => {
  requested.length = 0;
  response = async () => new Response();
  vi.stubEnv("NEXT_RUNTIME", "nodejs");
  vi.stubGlobal("fetch", (url: string, init: RequestInit & { cache?: string }) => {
    requested.push([url, init.cache]);
    return response();
  });
});

const client = (options: RedisOptions = {}) =>
  new Redis({ url: "http://127.0.0.1:9", token: "t", retry: false, ...options });
const lost = async (call: Promise<unknown>) => ((await call.catch((error) => error)) as Error).name;

test("connection() is called in the same tick, so that Next.js attributes the command", async () => {
  const redis = client();
  const calls = [redis.get("a"), redis.pipeline().get("b").exec(), redis.with({ timeout: 5_000 }).get("c")];
  expect(requested).toEqual(Array(3).fill(["data:,", "no-store"]));
  expect(await Promise.all(calls.map(lost))).toEqual(Array(3).fill("ConnectionError"));
});

test.each(["default", "force-cache"] as const)("connection() is not called with cache %s", async (cache) => {
  expect(await lost(client({ cache }).get("a"))).toBe("ConnectionError");
  expect(requested).toEqual([]);
});

test("connection() is not called without Next.js", async () => {
  vi.stubEnv("NEXT_RUNTIME", undefined);
  expect(await lost(client({ timeout: 9_000 }).get("a"))).toBe("ConnectionError");
  expect(requested).toEqual([]);
});

test("an error of connection() while building rejects the command, also without configuration", async () => {
  vi.stubEnv("NEXT_PHASE", "phase-production-build");
  const dynamic = new Error("this page is dynamic");
  response = () => Promise.reject(dynamic);
  for (const redis of [client(), new Redis({ retry: false })]) {
    await expect(redis.get("a")).rejects.toBe(dynamic);
    await expect(redis.multi().get("a").exec()).rejects.toBe(dynamic);
  }
});

test("a command at run time does not depend on connection()", async () => {
  response = () => Promise.reject(new Error("no fetch today"));
  expect(await lost(client().get("a"))).toBe("ConnectionError");
});

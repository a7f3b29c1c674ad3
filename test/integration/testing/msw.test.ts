import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { Redis as UpstashRedis } from "@upstash/redis";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { Redis } from "warmline/fetch";
import { redisHandlers } from "warmline-gateway/msw";

// The fetch entry and @upstash/redis against handlers of msw: no request leaves the process.

const url = "https://redis.example.com";
const token = "secret";
const handlers = redisHandlers({ url, token });
const server = setupServer(...handlers);
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(() => handlers.flush());
afterAll(async () => {
  server.close();
  await handlers.close();
});

describe.each([
  ["warmline/fetch", () => new Redis({ url, token })],
  // The calls below are the same for both.
  ["@upstash/redis", () => new UpstashRedis({ url, token, enableTelemetry: false }) as unknown as Redis],
])("the handlers serve %s", (_name, create) => {
  test("handlers reply to commands", async () => {
    const redis: Redis = create();
    expect(await redis.set("user:1", { name: "Ada" })).toBe("OK");
    expect(await redis.get("user:1")).toEqual({ name: "Ada" });
    expect(await redis.eval("return ARGV[1]", [], ["x"])).toBe("x");
  });

  test("pipelines and transactions work", async () => {
    const redis: Redis = create();
    expect(await redis.pipeline().incr("n").incr("n").exec()).toEqual([1, 2]);
    expect(await redis.multi().incr("n").get("n").exec()).toEqual([3, 3]);
  });

  test("a subscription gets messages", async () => {
    const redis: Redis = create();
    const got = new Promise((resolve) => {
      const subscriber = redis.subscribe("news");
      subscriber.on("subscribe", () => void redis.publish("news", { id: 1 }));
      subscriber.on("message", (event: { message: unknown }) => {
        void Promise.resolve(subscriber.unsubscribe()).then(() => resolve(event.message));
      });
    });
    expect(await got).toEqual({ id: 1 });
  });
});

test("bytes and large values keep their form", async () => {
  const redis = new Redis({ url, token });
  const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 256);
  await redis.set("b", bytes);
  expect(await new Redis({ url, token, codec: "bytes" }).get("b")).toEqual(bytes);
});

test("a handler before them fails one request", async () => {
  const redis = new Redis({ url, token, retry: false });
  server.use(http.post(`${url}/*`, () => HttpResponse.error(), { once: true }));
  await expect(redis.incr("n")).rejects.toMatchObject({ outcome: "unknown" });
  expect(await redis.incr("n")).toBe(1);
  server.resetHandlers();
});

test("handlers for a URL with a path leave requests to other paths alone", async () => {
  const nested = redisHandlers({ url: "https://api.example.com/redis", token });
  server.use(
    ...nested,
    http.get("https://api.example.com/users", () => HttpResponse.json(["Ada"])),
  );
  const redis = new Redis({ url: "https://api.example.com/redis", token });
  expect(await redis.pipeline().set("k", 1).get("k").exec()).toEqual(["OK", 1]);
  expect(await (await fetch("https://api.example.com/users")).json()).toEqual(["Ada"]);
  expect(await new Redis({ url, token }).get("k")).toBeNull();
  server.resetHandlers();
  await nested.close();
});

describe("options", () => {
  test("without options the handlers take URL and token from the environment", async () => {
    vi.stubEnv("UPSTASH_REDIS_REST_URL", "https://env.example.com");
    vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", "from-env");
    const own = redisHandlers();
    server.use(...own);
    expect(await Redis.fromEnv().incr("n")).toBe(1);
    server.resetHandlers();
    await own.close();
  });

  test("a missing or malformed URL is an error that says what to do", () => {
    expect(() => redisHandlers({ token })).toThrow("url: is missing; set it, or WARMLINE_URL");
    expect(() => redisHandlers({ url })).toThrow("token: is missing; set it, or WARMLINE_TOKEN");
    expect(() => redisHandlers({ url: "redis.example.com", token })).toThrow("url: must begin with http");
    expect(() => redisHandlers({ url, token, engine: "x" } as never)).toThrow("engine: is not an option");
  });
});

test.each([
  ["module", (name: string, from: string) => `import { ${name} } from "${from}";`],
  ["commonjs", (name: string, from: string) => `const { ${name} } = require("${from}");`],
])("handlers that are not closed let the process end (%s)", async (type, load) => {
  const program = `
    ${load("setupServer", "msw/node")}
    ${load("Redis", "warmline/fetch")}
    ${load("redisHandlers", "warmline-gateway/msw")}
    const options = { url: "${url}", token: "${token}" };
    setupServer(...redisHandlers(options)).listen();
    new Redis(options).incr("n").then(console.log);
  `;
  const args = [`--input-type=${type}`, "-e", program];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 20_000 });
  expect(stdout.trim()).toBe("1");
});

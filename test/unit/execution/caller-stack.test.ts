import { afterEach, expect, test, vi } from "vitest";
import { Redis, RedisError } from "../../../src/index.js";

const refusing = () => new Redis({ request: async () => ({ error: "WRONGTYPE no" }) as any });
const captureStackTrace = Error.captureStackTrace;
afterEach(() => {
  Error.captureStackTrace = captureStackTrace;
});

async function caller(call: () => Promise<unknown>): Promise<Error> {
  try {
    await call();
  } catch (error) {
    return error as Error;
  }
  throw new Error("the call was not rejected");
}

test("an error with its caller's stack keeps its class, code, command and index", async () => {
  const redis = refusing();
  const error = await caller(() => redis.get("key"));
  expect(error).toBeInstanceOf(RedisError);
  expect(error).toMatchObject({ code: "WRONGTYPE", command: "GET", outcome: "answered" });
  expect(error.stack).toMatch(
    /^RedisError: WRONGTYPE no \(command: GET\)\n(?: +at process.*\n)? +at (?:async )?caller /,
  );
});

test("an error with its caller's stack is the object that was thrown, cause included", async () => {
  const captured = vi.fn();
  Error.captureStackTrace = captured;
  const redis = new Redis({ url: "http://127.0.0.1:1", token: "t", retry: false });
  const error = await caller(() => redis.get("key"));
  expect(captured.mock.calls.map(([target]) => target)).toEqual([error]);
  expect((error.cause as Error).message).toContain("ECONNREFUSED");
});

test("errors that are not warmline's own keep their stacks", async () => {
  const own = new Error("mine");
  const { stack } = own;
  const custom = { encode: () => "", decode: () => Promise.reject(own) };
  const redis = new Redis({ request: async () => ({ result: "x" }) as any });
  expect(await caller(() => redis.with({ codec: custom }).get("key"))).toBe(own);
  expect(await caller(() => redis.with({ signal: AbortSignal.abort(own) }).get("key"))).toBe(own);
  expect(await caller(() => redis.pipeline().get("key").exec())).not.toBe(own);
  expect(own.stack).toBe(stack);
});

test("an error is rejected as it is where the engine has no captureStackTrace", async () => {
  const redis = refusing();
  for (const call of [() => redis.get("key"), () => redis.pipeline().get("key").exec()]) {
    Error.captureStackTrace = undefined!;
    const error = await caller(call);
    Error.captureStackTrace = captureStackTrace;
    expect(error).toMatchObject({ name: "RedisError", code: "WRONGTYPE" });
    expect(error.stack).toContain("WRONGTYPE no");
  }
});

test("each of many commands of one request has the stack of its own caller", async () => {
  const redis = refusing();
  async function first() {
    await redis.get("a");
  }
  async function second() {
    await redis.get("b");
  }
  const [a, b] = await Promise.allSettled([first(), second()]);
  expect((a as PromiseRejectedResult).reason.stack).toMatch(/at (async )?first /);
  expect((b as PromiseRejectedResult).reason.stack).toMatch(/at (async )?second /);
});

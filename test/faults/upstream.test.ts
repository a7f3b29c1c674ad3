import { beforeEach, describe, expect, test } from "vitest";
import { Redis, UnknownOutcomeError } from "warmline";
import { type FakeAction, type FakeCommand, startFakeRedis, startGatewayProcess } from "warmline-testbed";
import { forEachTest } from "../support/lifetime.js";

// Replies lost between the gateway and Redis: the outcome that the gateway reports reaches the client.

const fake = forEachTest(() => startFakeRedis());
const gateway = forEachTest(() => startGatewayProcess({ args: ["--redis", fake.url] }));
const retry = { retries: 5, backoff: () => 20 };
const redis = forEachTest(
  async () => new Redis({ url: gateway.url, token: gateway.token, codec: "text", retry }),
);
beforeEach(() => redis.get("warm"));

/** Applies a fault to the first `times` commands with this name. */
function failFirst(name: string, times: number, action: FakeAction): void {
  let left = times;
  fake.script((command: FakeCommand) => (command.name === name && left-- > 0 ? action : undefined));
}

describe.each([1, 5])("%i replies lost", (times) => {
  test.each(["close", "reset", { cut: 1 }] as const)("incr is unknown, get repeated: %j", async (action) => {
    failFirst("INCR", times, action);
    const error = await redis.incr("n").catch((thrown) => thrown);
    expect(error).toBeInstanceOf(UnknownOutcomeError);
    expect(error.outcome).toBe("unknown");
    expect(fake.count("INCR")).toBe(1);
    failFirst("GET", times, action);
    expect(await redis.get("n")).toBe("1");
    // A read whose response is slow also goes to a second connection.
    expect(fake.count("GET")).toBeGreaterThanOrEqual(1 + times + 1);
  });
});

test("writes of a long pipeline that may be repeated are repeated in their order", async () => {
  let lost = false;
  fake.script(({ args }) => {
    if (lost || args[2] !== "400") return undefined;
    lost = true;
    return "close";
  });
  const pipeline = redis.with({ writes: "at-least-once" }).pipeline();
  for (let at = 0; at < 1_600; at++) pipeline.set("key", at);
  expect(await pipeline.exec()).toEqual(Array(1_600).fill("OK"));
  expect(lost).toBe(true);
  expect(await redis.get("key")).toBe("1599");
});

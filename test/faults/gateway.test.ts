import { describe, expect } from "vitest";
import { Redis, UnknownOutcomeError } from "warmline";
import {
  type Behaviour,
  carries,
  closeBeforeReply,
  cutReply,
  loseReply,
  onRequest,
  proxyError,
  reset,
  rewrite,
} from "warmline-testbed";
import { mulberry32 } from "../support/model/random.mjs";
import { SEED, scaled } from "../support/random-tests.js";
import { pause, routeTests } from "./support/rig.js";

// Network faults on requests and responses, with the real gateway; applied writes are counted at Redis.

const routeTest = routeTests();
const patient = { retry: { retries: 5, backoff: () => 1 } };

/** Applies a fault to the first `times` requests with a command, over all connections. */
function first(times: number, name: string, fault: Parameters<typeof onRequest>[1]): Behaviour {
  let left = times;
  // In quotes, since the random token may contain the letters.
  return onRequest((exchange) => carries(`"${name}"`)(exchange) && left-- > 0, fault);
}

describe("the write was applied and its response lost", () => {
  const losses = [
    ["closed", loseReply()],
    ["reset", loseReply({ leave: "reset" })],
    ["cut in its head", cutReply({ bytes: 20 })],
    ["cut in its body", cutReply({ bytes: 200, leave: "reset" })],
    ["500 of a proxy", rewrite(proxyError(500))],
    ["502 of a proxy", rewrite(proxyError(502))],
    ["503 of a proxy", rewrite(proxyError(503))],
    ["503 of a proxy with Retry-After", rewrite(proxyError(503, { "Retry-After": "0" }))],
    ["504 of a proxy", rewrite(proxyError(504), { leave: "close" })],
  ] as const;

  routeTest.for(losses)("a write is applied once, a read is repeated: %s", async ([, fault], { route }) => {
    const redis = route.client(patient);
    await redis.get(route.key);
    const faults = [first(5, "INCR", fault), first(3, "GET", fault)];
    route.path.onConnection(() => ({
      exchange: (...args) => faults.map((each) => each.exchange!(...args)).find(Boolean),
    }));
    redis.close();
    await expect(redis.incr(route.key)).rejects.toBeInstanceOf(UnknownOutcomeError);
    expect(route.applied("INCR")).toBe(1);
    expect(await redis.get(route.key)).toBe("1");
    expect(route.applied("GET")).toBe(5);
    expect(route.applied("INCR")).toBe(1);
  });

  routeTest("a set whose response is lost does not overwrite another client's value", async ({ route }) => {
    const { url, token } = route.backend.gateway;
    const other = new Redis({ url, token });
    route.path.onConnection(() =>
      onRequest(carries("mine"), {
        response: (connection, part) => {
          if (part.last) void other.set(route.key, "theirs").then(() => connection.close());
        },
      }),
    );
    await expect(route.client(patient).set(route.key, "mine")).rejects.toBeInstanceOf(UnknownOutcomeError);
    await pause(300);
    expect(await other.get(route.key)).toBe("theirs");
    const { applied } = route.backend.redis;
    const sets = applied.filter(({ name, args }) => name === "SET" && args[1] === route.key);
    expect(sets.map(({ args }) => args[2])).toEqual(["mine", "theirs"]);
    other.close();
  });
});

describe("the write never arrived", () => {
  routeTest.for([
    ["reset at its first byte", reset({ requestStart: 1 })],
    ["closed after the last byte", onRequest(1, closeBeforeReply({ deliver: false }))],
  ] as const)("a write is not sent again and a read is: %s", async ([, behaviour], { route }) => {
    route.path.onConnection((number) => (number % 2 === 1 ? behaviour : undefined));
    const redis = route.client(patient);
    expect(await redis.get(route.key)).toBe(null);
    redis.close();
    await expect(redis.incr(route.key)).rejects.toBeInstanceOf(UnknownOutcomeError);
    expect(route.applied("INCR")).toBe(0);
  });
});

routeTest(
  "if connections close just as requests are written, reads resolve and writes are applied at most once",
  async ({ route }) => {
    const next = mulberry32(SEED);
    const times = scaled(1_000);
    let closed = 0;
    route.path.onConnection(() => ({
      requestStarted: (connection) => {
        if (next() < 0.1) {
          closed++;
          connection.close();
        }
      },
      responded: (connection) => {
        // About as long as the client takes to write its next request.
        const dice = next();
        if (dice < 0.25) connection.after(1 + Math.floor(dice * 8), () => connection.close());
        else if (dice < 0.5) setImmediate(() => connection.close());
      },
    }));
    const instance = await route.startFunction({ retry: { retries: 20 } }, {}, { timeoutMs: 60_000 });
    const attempts = Array.from({ length: times }, (_, i) => [
      ["GET", route.key],
      ["INCR", `${route.key}:${i}`],
    ]);
    const results = await instance.run(...attempts.flat());
    expect(results).toHaveLength(2 * times);
    const applied = new Map<string, number>();
    for (const { name, args } of route.backend.redis.applied) {
      if (name === "INCR") applied.set(args[1]!, (applied.get(args[1]!) ?? 0) + 1);
    }
    let unknown = 0;
    for (let i = 0; i < times; i++) {
      expect(results[2 * i], `read ${i}`).toMatchObject({ value: null });
      const write = results[2 * i + 1]!;
      const writes = applied.get(`${route.key}:${i}`) ?? 0;
      if (write.error) {
        expect(write.error, `write ${i}`).toMatchObject({ name: "UnknownOutcomeError", outcome: "unknown" });
        expect(writes).toBeLessThanOrEqual(1);
        unknown++;
      } else {
        expect([write.value, writes], `write ${i}`).toEqual([1, 1]);
      }
    }
    // There were faults with an effect, and most writes succeeded nevertheless.
    expect(closed).toBeGreaterThan(times / 20);
    expect(unknown).toBeGreaterThan(times / 100);
    expect(unknown).toBeLessThan(times / 2);
  },
  90_000,
);

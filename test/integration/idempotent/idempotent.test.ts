import { setTimeout as pause } from "node:timers/promises";
import { beforeEach, expect, test } from "vitest";
import { ArgumentError, Redis, WarmlineError } from "warmline";
import { InProgressError, idempotent } from "warmline/idempotent";
import { forTest, sharedByTests } from "../../support/lifetime.js";
import { describeEngines, embeddedEngine } from "../gateway/engines.js";

describeEngines("idempotent functions", (setup) => {
  const gateway = sharedByTests(() => setup.start());
  const redis = sharedByTests(async () => new Redis({ url: gateway.url, token: gateway.token }));
  beforeEach(() => redis.flushall());

  test("a function runs once, and later calls return its stored result", async () => {
    let runs = 0;
    const call = (value: unknown) =>
      idempotent(redis, `event:${JSON.stringify(value)}`, async (guarded) => {
        runs++;
        await guarded.incr("n");
        return value;
      });
    const values = [{ order: 7, at: [1.5, "x"] }, "42", null, undefined, 0];
    for (const value of values) {
      expect(await call(value)).toEqual(value);
      expect(await call(value)).toEqual(value);
    }
    expect(runs).toBe(values.length);
    expect(await redis.get("n")).toBe(values.length);
    expect(await redis.ttl('event:"42"')).toBeGreaterThan(86_000);
  });

  test("a result is the same for the first call as for later ones", async () => {
    const call = () => idempotent<unknown>(redis, "event", () => ({ n: 1, left: undefined }));
    expect(await call()).toEqual({ n: 1 });
    expect(await call()).toEqual({ n: 1 });
  });

  test.each<[string, unknown]>([
    ["a Date inside", { at: new Date(0) }],
    ["NaN", [Number.NaN]],
    [
      "a circle",
      (() => {
        const circle: { self?: object } = {};
        circle.self = circle;
        return circle;
      })(),
    ],
  ])("a result that JSON would change is refused, and the lease ended: %s", async (_, result) => {
    const call = (value: unknown) =>
      idempotent(redis, "event", async (guarded) => {
        await guarded.incr("n");
        return value;
      });
    await expect(call(result)).rejects.toThrow(ArgumentError);
    await expect(call(result)).rejects.toThrow(/^idempotent: the result /);
    expect(await call("right")).toBe("right");
    expect(await redis.get("n")).toBe(1);
  });

  test("a result that Redis refuses ends the lease, so that the next delivery runs", async () => {
    const small = await setup.start({ maxBodySize: 10_000 });
    const client = new Redis({ url: small.url, token: small.token });
    const call = (value: string) => idempotent(client, "event", () => value);
    await expect(call("x".repeat(20_000))).rejects.toThrow(/larger than 10000 bytes/);
    expect(await call("small")).toBe("small");
  });

  test("a concurrent duplicate rejects with retryAt, or waits for the result", async () => {
    let finish = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const first = idempotent(redis, "event", async () => {
      await finished;
      return "done";
    });
    await expect.poll(() => redis.exists("event")).toBe(1);
    const before = Date.now();
    const error = await idempotent(redis, "event", () => "second").catch((error) => error);
    expect(error).toBeInstanceOf(InProgressError);
    expect(error).toBeInstanceOf(WarmlineError);
    expect(error.name).toBe("InProgressError");
    expect(error.retryAt).toBeGreaterThan(before + 50_000);
    expect(error.retryAt).toBeLessThanOrEqual(Date.now() + 60_000);
    const impatient = idempotent(redis, "event", () => "second", { wait: 0.1 });
    await expect(impatient).rejects.toThrow(InProgressError);
    const second = idempotent(redis, "event", () => "second", { wait: 10 });
    finish();
    expect(await Promise.all([first, second])).toEqual(["done", "done"]);
  });

  test("a function that throws runs again, and its writes return their first replies", async () => {
    const replies: unknown[] = [];
    const call = (fails: boolean) =>
      idempotent(redis, "event", async (guarded) => {
        replies.push(await guarded.incr("n"));
        replies.push(await guarded.rpush("list", "a"));
        if (fails) throw new Error("failed");
        return guarded.incr("n");
      });
    for (let run = 0; run < 3; run++) {
      await expect(call(true)).rejects.toThrow("failed");
      expect(await redis.exists("event")).toBe(0);
    }
    expect(await call(false)).toBe(2);
    expect(replies).toEqual([1, 1, 1, 1, 1, 1, 1, 1]);
    expect(await redis.get("n")).toBe(2);
    expect(await redis.llen("list")).toBe(1);
  });

  test("a result that comes after the lease is not stored", async () => {
    const slow = idempotent(redis, "event", () => pause(150).then(() => "slow"), { lease: 0.05 });
    await expect(slow).rejects.toMatchObject({ code: "LEASELOST" });
    expect(await redis.exists("event")).toBe(0);
  });

  test("a key with another value is left alone", async () => {
    await redis.set("event", "mine");
    await expect(idempotent(redis, "event", () => 1)).rejects.toThrow(/was not stored by idempotent/);
    expect(await redis.get("event")).toBe("mine");
  });
});

test("a token with a key prefix may use idempotent functions and strict scopes", async () => {
  const token = "t".repeat(32);
  const gateway = forTest(
    await embeddedEngine.start({
      tokens: [{ token, name: "app", prefix: "app:" }],
    } as object),
  );
  const redis = new Redis({ url: gateway.url, token });
  const run = () => idempotent(redis, "app:event", (guarded) => guarded.incr("app:n"));
  expect([await run(), await run()]).toEqual([1, 1]);
  await expect(idempotent(redis, "app:other", (guarded) => guarded.incr("n"))).rejects.toThrow(/NOPERM/);
  await expect(idempotent(redis, "event", () => 1)).rejects.toThrow(/NOPERM/);
  const strict = () => redis.with({ writes: "exactly-once", scope: "app:id", strict: true });
  expect(await strict().incr("app:n")).toBe(2);
  expect(await strict().incr("app:n")).toBe(2);
  await expect(strict().decr("app:n")).rejects.toMatchObject({ code: "OTHERPATH" });
});

test("the arguments of idempotent are checked", async () => {
  const redis = new Redis({ url: "http://127.0.0.1:1", token: "t", retry: false });
  const call = (key: unknown, fn: unknown, options: object = {}) =>
    idempotent(redis, key as string, fn as () => void, options).catch((error) => error);
  for (const key of ["", 1, null, "\ud800"]) expect(await call(key, () => 1)).toBeInstanceOf(ArgumentError);
  expect((await call("k", "x")).message).toBe("idempotent: the third argument must be a function");
  expect((await call("k", () => 1, { leese: 1 })).message).toMatch(/did you mean lease\?/);
});

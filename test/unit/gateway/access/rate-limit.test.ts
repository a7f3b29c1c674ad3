import { describe, expect, test } from "vitest";
import { RateLimit } from "../../../../gateway/src/access/rate-limit.js";

describe("a rate limit", () => {
  test("a rate limit admits one second's worth at once, then the rate", () => {
    const limit = new RateLimit(10, 0);
    expect(limit.secondsUntil(10, 0)).toBe(0);
    limit.take(10);
    expect(limit.secondsUntil(1, 0)).toBeCloseTo(0.1);
    expect(limit.secondsUntil(10, 0)).toBeCloseTo(1);
    expect(limit.secondsUntil(1, 100)).toBe(0);
    limit.take(1);
    expect(limit.secondsUntil(1, 150)).toBeCloseTo(0.05);
    // No more than one second's worth is saved up.
    expect(limit.secondsUntil(10, 60_000)).toBe(0);
    limit.take(10);
    expect(limit.secondsUntil(1, 60_000)).toBeCloseTo(0.1);
  });

  test("a rate limit that is full admits more than one second's worth, to be paid back first", () => {
    const limit = new RateLimit(10, 0);
    expect(limit.secondsUntil(50, 0)).toBe(0);
    limit.take(50);
    expect(limit.secondsUntil(1, 0)).toBeCloseTo(4.1);
    expect(limit.secondsUntil(50, 4_000)).toBeCloseTo(1);
    expect(limit.secondsUntil(50, 5_000)).toBe(0);
  });

  test("a rate limit holds over time, whatever the requests", () => {
    const limit = new RateLimit(100, 0);
    let taken = 0;
    for (let now = 0; now <= 10_000; now += 7) {
      for (const amount of [1, 3, 20]) {
        if (limit.secondsUntil(amount, now) > 0) continue;
        limit.take(amount);
        taken += amount;
      }
    }
    expect(taken).toBeGreaterThan(1_000);
    expect(taken).toBeLessThanOrEqual(1_000 + 100);
  });

  test("a rate limit below one per second admits one at a time", () => {
    const limit = new RateLimit(0.25, 0);
    expect(limit.secondsUntil(1, 0)).toBe(0);
    limit.take(1);
    expect(limit.secondsUntil(1, 0)).toBeCloseTo(4);
  });
});

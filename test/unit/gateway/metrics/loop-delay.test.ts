import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LoopDelay } from "../../../../gateway/src/metrics/loop-delay.js";

let now = 0;
let loopDelay: LoopDelay;
beforeEach(() => {
  now = 0;
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  vi.spyOn(performance, "now").mockImplementation(() => now);
  loopDelay = new LoopDelay();
});
afterEach(() => {
  loopDelay.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Advances the clock by about `ms`. Each sample is late by `delay` ms. */
function run(ms: number, delay = 0): void {
  for (let passed = 0; passed < ms; passed += 20 + delay) {
    now += 20 + delay;
    vi.advanceTimersByTime(20);
  }
}

test("a stall is reported as the longest delay for one minute", () => {
  expect(loopDelay.longestOfMinute).toBe(0);
  run(5_000, 3);
  expect(loopDelay.longestOfMinute).toBeCloseTo(0.003);
  run(1, 6_300);
  expect(loopDelay.longestOfMinute).toBeCloseTo(6.3);
  run(58_000);
  expect(loopDelay.longestOfMinute).toBeCloseTo(6.3);
  run(3_000);
  expect(loopDelay.longestOfMinute).toBe(0);
});

test("a stall counts before it is sampled", () => {
  run(2_000);
  now += 720;
  expect(loopDelay.longestOfMinute).toBeCloseTo(0.7);
});

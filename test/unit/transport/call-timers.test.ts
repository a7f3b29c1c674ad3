import { createHook } from "node:async_hooks";
import { expect, test, vi } from "vitest";
import { callTimers } from "../../../src/transport/node/call-timers.js";

const counting = () => ({ onTimeout: vi.fn() });

/** Timers that keep the process alive. */
const keepingAlive = () => process.getActiveResourcesInfo().filter((name) => name === "Timeout").length;

test("a call times out once, and not after it was stopped", async () => {
  const [expiring, stopped] = [counting(), counting()];
  const timer = callTimers.start(20, expiring);
  callTimers.stop(callTimers.start(20, stopped));
  await expect.poll(() => expiring.onTimeout).toHaveBeenCalledTimes(1);
  callTimers.stop(timer);
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(expiring.onTimeout).toHaveBeenCalledTimes(1);
  expect(stopped.onTimeout).not.toHaveBeenCalled();
});

test("the process is kept alive while a call runs, and not by a cached timer", () => {
  const before = keepingAlive();
  const timers = Array.from({ length: 100 }, () => callTimers.start(5_000, counting()));
  expect(keepingAlive()).toBe(before + 100);
  for (const timer of timers) callTimers.stop(timer);
  expect(keepingAlive()).toBe(before);
  const timer = callTimers.start(5_000, counting());
  expect(timers).toContain(timer);
  expect(keepingAlive()).toBe(before + 1);
  callTimers.stop(timer);
});

test("calls with different timeouts leave no timers behind", async () => {
  const alive = new Set<number>();
  const hook = createHook({
    init: (id, type) => void (type === "Timeout" && alive.add(id)),
    destroy: (id) => void alive.delete(id),
  });
  callTimers.stop(callTimers.start(7_000, counting()));
  hook.enable();
  for (let i = 0; i < 1_000; i++) {
    // One beside the constant timeout, as of a client with a deadline and one without.
    const overlapping = callTimers.start(900_000 - i, counting());
    callTimers.stop(callTimers.start(6_000, counting()));
    callTimers.stop(overlapping);
  }
  // Node reports the end of timers later.
  for (let i = 0; i < 3; i++) await new Promise(setImmediate);
  hook.disable();
  // The test runner may start a few of its own.
  expect(alive.size).toBeLessThan(10);
});

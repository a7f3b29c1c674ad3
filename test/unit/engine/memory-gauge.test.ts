import { expect, test } from "vitest";
import { MemoryGauge } from "../../../gateway/src/engine/embedded/memory-gauge.js";

const MB = 1024 * 1024;

/** A gauge of 100 MB over memory that this test fills and frees by hand. */
function gauge(live: number, garbage: number) {
  const memory = { live, garbage, looks: 0, collections: 0 };
  const used = () => {
    memory.looks += 1;
    return memory.live + memory.garbage;
  };
  const collect = () => {
    memory.collections += 1;
    memory.garbage = 0;
  };
  return { memory, gauge: new MemoryGauge(100 * MB, used, collect) };
}

test("the gauge reads the heap once in many small writes, and more often near the limit", () => {
  const far = gauge(0, 0);
  for (let index = 0; index < 16_000; index += 1) expect(far.gauge.admits(1024)).toBe(true);
  expect(far.memory.looks).toBe(1);
  const near = gauge(98 * MB, 0);
  for (let index = 0; index < 2_000; index += 1) expect(near.gauge.admits(1024)).toBe(true);
  expect(near.memory.looks).toBeGreaterThan(1);
});

test("garbage is collected before anything is refused", () => {
  const { memory, gauge: gauged } = gauge(10 * MB, 95 * MB);
  expect(gauged.admits(MB)).toBe(true);
  expect(memory.collections).toBe(1);
});

test("a write that does not fit is refused, without another collection at once", () => {
  const { memory, gauge: gauged } = gauge(99 * MB, 0);
  expect(gauged.admits(2 * MB)).toBe(false);
  expect(memory.collections).toBe(1);
});

test("the gauge stays full until memory has shrunk, not until a write happens to fit", () => {
  const { memory, gauge: gauged } = gauge(98 * MB, 5 * MB);
  expect(gauged.admits(MB)).toBe(false);
  expect(gauged.admits(1)).toBe(false);
  memory.live = 90 * MB;
  expect(gauged.admits(1)).toBe(true);
});

test("lookAgain() allows the next write after room was made", () => {
  const { memory, gauge: gauged } = gauge(101 * MB, 0);
  expect(gauged.admits(1)).toBe(false);
  memory.live = 0;
  gauged.lookAgain();
  expect(gauged.admits(1)).toBe(true);
});

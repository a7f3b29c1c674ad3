import { totalmem } from "node:os";
import { describe, expect, test, vi } from "vitest";
import {
  BudgetPart,
  BufferBudget,
  defaultBufferedBytes,
} from "../../../../gateway/src/util/buffer-budget.js";
import { TestClock } from "../../../support/test-clock.js";

const MB = 1024 * 1024;

/** Creates a budget of 100 bytes. `wait` waits for some of them, and adds its name and result to `results`. */
function create() {
  const clock = new TestClock();
  const budget = new BufferBudget(100, clock);
  const results: string[] = [];
  const wait = (name: string, bytes: number, share = 1, timeout = 1_000) =>
    budget.whenFree(bytes, share, timeout, (granted) => results.push(`${name} ${granted ? "yes" : "no"}`));
  return { clock, budget, results, wait };
}

describe("requests that wait for bytes", () => {
  test("waiting requests get bytes in order as bytes are given back", () => {
    const { clock, budget, results, wait } = create();
    budget.take(100);
    wait("a", 40);
    wait("b", 10);
    wait("c", 50);
    budget.give(30);
    expect(results).toEqual([]);
    budget.give(20);
    expect(results).toEqual(["a yes", "b yes"]);
    budget.give(50);
    expect(results).toEqual(["a yes", "b yes", "c yes"]);
    expect([budget.used, clock.timers]).toEqual([100, 0]);
  });

  test("requests behind one that times out get their bytes at once", () => {
    const { clock, budget, results, wait } = create();
    budget.take(90);
    wait("large", 80, 1, 100);
    wait("small", 10);
    clock.advance(100);
    expect(results.sort()).toEqual(["large no", "small yes"]);
    expect(budget.used).toBe(100);
  });

  test("requests behind one whose client left get their bytes at once", () => {
    const { clock, budget, results, wait } = create();
    budget.take(90);
    const leave = wait("large", 80);
    wait("small", 10);
    leave();
    leave();
    clock.advance(10_000);
    expect(results).toEqual(["small yes"]);
    expect(budget.used).toBe(100);
  });

  test("a new request does not overtake a waiting one that may use the same share of the limit", () => {
    const { budget, results, wait } = create();
    budget.take(40);
    wait("first", 20, 1 / 2);
    expect(budget.takeInTurn(5, 1 / 2)).toBe(false);
    wait("second", 5, 1 / 2);
    budget.give(5);
    expect(results).toEqual([]);
    budget.give(5);
    expect(results).toEqual(["first yes"]);
    budget.give(5);
    expect(results).toEqual(["first yes", "second yes"]);
  });

  test("a request that may use the whole limit does not wait behind one that may use a part of it", () => {
    const { budget, results, wait } = create();
    budget.take(80);
    wait("large", 30, 1 / 2);
    expect(budget.takeInTurn(10)).toBe(true);
    wait("small", 20);
    budget.give(10);
    expect(results).toEqual(["small yes"]);
    expect(budget.takeInTurn(1)).toBe(false);
  });

  test("more bytes than ever fit are refused at once", () => {
    const { clock, results, wait } = create();
    wait("a", 101);
    wait("b", 51, 1 / 2);
    expect(results).toEqual(["a no", "b no"]);
    expect(clock.timers).toBe(0);
  });

  test("memory counts as short while a request waits, and for 5 s after bytes were refused", () => {
    const { clock, budget, wait } = create();
    budget.take(100);
    expect(budget.isShort).toBe(false);
    wait("a", 10, 1, 60_000);
    clock.advance(30_000);
    expect(budget.isShort).toBe(true);
    budget.give(10);
    expect(budget.isShort).toBe(false);
    budget.take(1);
    clock.advance(4_999);
    expect(budget.isShort).toBe(true);
    clock.advance(1);
    expect(budget.isShort).toBe(false);
  });
});

test("a part of a budget has its own limit, and its bytes count in the whole budget too", () => {
  const { budget } = create();
  const part = new BudgetPart(budget, 1 / 2);
  expect([part.take(30), part.take(21), part.take(20), budget.used]).toEqual([true, false, true, 50]);
  expect(budget.take(45)).toBe(true);
  part.give(10);
  expect([part.take(16), budget.used]).toEqual([false, 85]);
  budget.give(10);
  expect([part.take(10), part.take(1), budget.used]).toEqual([true, false, 85]);
});

test.each([
  ["a container of 512 MB", 512 * MB, 128 * MB],
  ["a container of 20 MB", 20 * MB, 16 * MB],
  ["no limit, reported as 0", 0, totalmem() / 4],
  ["no limit, reported as a number above the memory of the machine", 2 ** 64, totalmem() / 4],
])("the default limit is a quarter of the memory: %s", (_, constrained, limit) => {
  const spy = vi.spyOn(process, "constrainedMemory").mockReturnValue(constrained);
  try {
    expect(defaultBufferedBytes()).toBe(Math.floor(limit));
  } finally {
    spy.mockRestore();
  }
});

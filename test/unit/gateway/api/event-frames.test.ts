import { expect, test } from "vitest";
import { entryFramesWithin } from "../../../../gateway/src/api/event-frames.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";

const KB = 1_024;
const LIMIT = 400 * KB;

const entryOf = (size: number, byte: string) => ({
  id: "5-1",
  fields: [Buffer.from("n"), Buffer.alloc(size, byte, "latin1")],
});

/** Returns the length of the frames of two entries of this size, or undefined, and the most bytes that were taken meanwhile. */
function encode(size: number, byte: string): [length: number | undefined, most: number] {
  const budget = new BufferBudget(LIMIT);
  let most = 0;
  const watched = Object.assign(budget, {
    take(bytes: number) {
      const taken = BufferBudget.prototype.take.call(budget, bytes);
      most = Math.max(most, budget.used);
      return taken;
    },
  });
  const frames = entryFramesWithin(watched, [entryOf(size, byte), entryOf(size, byte)]);
  expect(budget.used).toBe(0);
  return [frames?.length, most];
}

test("entries of a stream count in the budget while they are encoded, and fail if they do not fit", () => {
  const [length, most] = encode(40 * KB, "x");
  expect(length).toBeGreaterThan(80 * KB);
  expect(most).toBeGreaterThan(length! + 80 * KB);
  expect(encode(60 * KB, "x")).toEqual([undefined, 0]);
  // Entries with bytes that are not UTF-8 are sent twice.
  expect(encode(40 * KB, "\xff")).toEqual([undefined, 0]);
  // Small ones are not counted.
  expect(encode(10 * KB, "\xff")[1]).toBe(0);
});

import { afterEach, expect, test, vi } from "vitest";
import { FrameEncoder, messagePieces } from "../../../../gateway/src/api/event-frames.js";
import { arrayOf, bulkOf } from "../../../../gateway/src/resp/replies.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { SlicedWork } from "../../../../gateway/src/util/sliced-work.js";

afterEach(() => vi.restoreAllMocks());

const KB = 1_024;
const LIMIT = 400 * KB;

const entryOf = (size: number, byte: string) => ({
  id: "5-1",
  fields: arrayOf([Buffer.from("n"), Buffer.alloc(size, byte, "latin1")].map(bulkOf)),
});

/** Returns the length of the frames of two entries of this size, or why there are none, and the most bytes that were taken. */
async function encode(size: number, byte: string, inUse = 0) {
  const budget = new BufferBudget(LIMIT);
  budget.take(inUse);
  let most = 0;
  const watched = Object.assign(budget, {
    take(bytes: number) {
      const taken = BufferBudget.prototype.take.call(budget, bytes);
      most = Math.max(most, budget.used);
      return taken;
    },
  });
  const frames = await new FrameEncoder(watched, new SlicedWork()).entries([
    entryOf(size, byte),
    entryOf(size, byte),
  ]);
  expect(budget.used).toBe(inUse);
  return [Array.isArray(frames) ? Buffer.concat(frames).length : frames, most - inUse] as const;
}

test("entries of a stream count in the budget while they are encoded, and fail if they do not fit", async () => {
  const [length, most] = await encode(40 * KB, "x");
  expect(length).toBeGreaterThan(80 * KB);
  expect(most).toBeGreaterThan((length as number) + 80 * KB - 1);
  // They never fit in the half of the budget that events may use.
  expect((await encode(110 * KB, "x"))[0]).toBe("too-large");
  // Entries with bytes that are not UTF-8 are sent twice.
  expect((await encode(60 * KB, "\xff"))[0]).toBe("too-large");
  expect((await encode(40 * KB, "x", 300 * KB))[0]).toBe(null);
  // Small ones are not counted.
  expect((await encode(10 * KB, "\xff"))[1]).toBe(0);
});

test("an entry of very many fields needs no memory for each field, and becomes few pieces", async () => {
  const budget = new BufferBudget(LIMIT);
  const fields = arrayOf(Array(10_000).fill(bulkOf(Buffer.from("n"))));
  const frames = await new FrameEncoder(budget, new SlicedWork()).entries([{ id: "5-1", fields }]);
  expect(String(frames)).toBe(`id: 5-1\ndata: [${Array(10_000).fill('"n"')}]\n\n`);
  expect((frames as Buffer[]).length).toBe(1);
  expect(budget.used).toBe(0);
});

const part = 'Grüße, 界 \u0001 "\\ \r\n';
test.each([
  ["a line", Buffer.from("é,x".repeat(1_000_000))],
  ["line breaks", Buffer.from(part.repeat(100_000))],
  ["JSON with line breaks", Buffer.from(JSON.stringify(Array(100_000).fill(part), null, 1))],
  ["bytes that are not UTF-8", Buffer.alloc(2_000_001, "abc\xff", "latin1")],
  [
    "line breaks and bytes that are not UTF-8",
    Buffer.concat([Buffer.from(part.repeat(90_000)), Buffer.of(0xe7)]),
  ],
])("a large message of %s is encoded between other requests, as a small one is", async (_, payload) => {
  const push = [Buffer.from("message"), Buffer.from("news"), payload];
  // Each look at the clock takes 1 ms, so that the number of turns does not depend on the machine.
  let now = 0;
  vi.spyOn(performance, "now").mockImplementation(() => now++);
  let turns = 0;
  let isDone = false;
  const turn = () => {
    turns++;
    if (!isDone) setImmediate(turn);
  };
  setImmediate(turn);
  const budget = new BufferBudget(40_000_000);
  const encoder = new FrameEncoder(budget, new SlicedWork());
  // Two at a time take turns.
  const [frame, other] = await Promise.all([encoder.message(push), encoder.message(push)]);
  isDone = true;
  expect(turns).toBeGreaterThan(20);
  expect(budget.used).toBe(0);
  const expected = Buffer.concat([...messagePieces(push)]);
  expect(Buffer.concat(frame as Buffer[]).equals(expected)).toBe(true);
  expect(Buffer.concat(other as Buffer[]).equals(expected)).toBe(true);
  const lines = expected.toString().split("\n");
  const text = payload.toString();
  const exact = lines.find((line) => line.startsWith("exact: "))?.split(",")[1];
  const isExact = !/[\r\n\ufffd]/.test(text);
  expect(exact).toBe(isExact ? undefined : payload.toString("base64"));
  const data = lines.find((line) => line.startsWith("data: "))!.slice("data: message,news,".length);
  expect(/[\r\n]/.test(text) ? JSON.parse(data) : data).toBe(text);
});

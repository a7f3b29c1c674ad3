import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Framer, MalformedReply } from "../../../../gateway/src/resp/framer.js";
import { BufferBudget } from "../../../../gateway/src/util/buffer-budget.js";
import { scaled } from "../../../support/random-tests.js";
import { anyReply, encode } from "./resp-tree.js";

/** Frames `stream`, cut at the given places. */
function frame(stream: Buffer, cuts: readonly number[], maxReplySize = 1 << 20): (Buffer | null)[] {
  const framer = new Framer(maxReplySize);
  const replies: (Buffer | null)[] = [];
  const places = [...new Set([0, ...cuts.map((cut) => cut % (stream.length + 1)), stream.length])].sort(
    (a, b) => a - b,
  );
  for (let i = 1; i < places.length; i++) {
    framer.push(stream.subarray(places[i - 1], places[i]), {
      onReply: (reply) => replies.push(reply && Buffer.from(reply)),
    });
  }
  return replies;
}

describe("the framer", () => {
  test("the framer finds every reply, whatever it contains and however the bytes are split", () => {
    fc.assert(
      fc.property(
        fc.array(anyReply, { minLength: 1, maxLength: 8 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        (trees, cuts) => {
          const replies = trees.map(encode);
          expect(frame(Buffer.concat(replies), cuts)).toEqual(replies);
        },
      ),
      { numRuns: scaled(1_000) },
    );
  });

  test("the framer finds replies of RESP3 where they are expected, and refuses them elsewhere", () => {
    const replies = [
      ">2\r\n$10\r\ninvalidate\r\n*2\r\n$1\r\na\r\n$1\r\nb\r\n",
      "%2\r\n+a\r\n%1\r\n+b\r\n_\r\n+c\r\n*1\r\n#t\r\n",
      "=7\r\ntxt:a\r\n\r\n",
      "~1\r\n,1.5\r\n",
      "_\r\n",
      "(12345678901234567890\r\n",
    ].map((text) => Buffer.from(text));
    const stream = Buffer.concat(replies);
    for (const size of [1, 3, stream.length]) {
      const framer = new Framer(1 << 20, undefined, true);
      const found: Buffer[] = [];
      for (let at = 0; at < stream.length; at += size) {
        framer.push(stream.subarray(at, at + size), { onReply: (reply) => found.push(Buffer.from(reply!)) });
      }
      expect(found).toEqual(replies);
    }
    for (const reply of replies) expect(() => frame(reply, [])).toThrow(MalformedReply);
  });

  test.each([0, 5, 2_000])("the framer skips too large a reply and keeps its place, split at %i", (cut) => {
    const large = encode({ type: "bulk", bytes: Buffer.alloc(3_000, "x") });
    const small = encode({ type: "status", text: "OK" });
    expect(frame(Buffer.concat([small, large, small]), [cut], 1_000)).toEqual([small, null, small]);
  });

  test("the framer streams a large reply, and passes on the ones around it whole", () => {
    const large = encode({ type: "bulk", bytes: Buffer.alloc(1_000_000, "x") });
    const small = encode({ type: "status", text: "OK" });
    const stream = Buffer.concat([small, large, small, large]);
    const seen: string[] = [];
    const all: Buffer[][] = [];
    const framer = new Framer(2_000_000);
    for (let at = 0; at < stream.length; at += 65_536) {
      framer.push(stream.subarray(at, at + 65_536), {
        onReply: (reply) => seen.push(String(reply)),
        onLarge(first) {
          all.push([]);
          seen.push(`large ${String.fromCharCode(first)}`);
          return { write: (bytes) => all.at(-1)!.push(bytes), onTooLarge() {}, end: () => seen.push("end") };
        },
      });
    }
    expect(seen).toEqual(["+OK\r\n", "large $", "end", "+OK\r\n", "large $", "end"]);
    expect(all.map((parts) => Buffer.concat(parts).equals(large))).toEqual([true, true]);
  });

  test("the framer keeps a large reply that must be whole within the budget, and frees what it took", () => {
    const large = encode({ type: "bulk", bytes: Buffer.alloc(1_000_000, "x") });
    const small = encode({ type: "status", text: "OK" });
    for (const [limit, inUse, reason] of [
      [3_000_000, 0, null],
      [3_000_000, 1_500_000, "no-room"],
      [1_500_000, 0, "over-budget"],
    ] as const) {
      const kept = reason === null;
      const budget = new BufferBudget(limit);
      budget.take(inUse);
      const framer = new Framer(2_000_000, budget);
      const replies: unknown[] = [];
      const stream = Buffer.concat([large, small]);
      for (let at = 0; at < stream.length; at += 65_536) {
        framer.push(stream.subarray(at, at + 65_536), {
          onReply: (reply) => replies.push(reply?.length),
        });
      }
      expect(replies).toEqual([kept ? large.length : undefined, small.length]);
      expect(budget.used).toBe(inUse);
      if (!kept) expect(framer.dropReason).toBe(reason);
    }
  });

  test.each([
    ["an unknown type", "!3\r\nabc\r\n"],
    ["a RESP3 type", "%1\r\n+a\r\n+b\r\n"],
    ["a push", ">1\r\n+a\r\n"],
    ["HTTP", "HTTP/1.1 200 OK\r\n"],
    ["an empty length", "$\r\n"],
    ["a length of letters", "$x\r\n"],
    ["a plus sign before a length", "$+1\r\na\r\n"],
    ["a zero before a length", "$01\r\na\r\n"],
    ["a negative length", "$-2\r\n"],
    ["two signs", "$--1\r\n"],
    ["minus zero", "$-0\r\n"],
    ["a negative count", "*-3\r\n"],
    ["a length beyond reason", "$99999999999\r\n"],
    ["a bulk string longer than declared", "$1\r\nab\r\n"],
    ["a bulk string without line feed", "$1\r\na\rx"],
    ["a carriage return inside a status", "+O\rK\r\n"],
    ["a line feed inside a status", "+O\nK\r\n"],
    ["a fraction as an integer", ":1.5\r\n"],
    ["an endless integer", `:${"1".repeat(21)}\r\n`],
  ])("the framer refuses %s at once, split or not", (_, text) => {
    const stream = Buffer.from(text);
    expect(() => frame(stream, [])).toThrow(MalformedReply);
    expect(() => frame(stream, [...stream.keys()])).toThrow(MalformedReply);
  });
});

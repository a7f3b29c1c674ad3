import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonEncoder, type Shape } from "../../../../gateway/src/api/json-encoder.js";
import { jsonElements, jsonReplies, jsonReply } from "../../../../gateway/src/api/json-reply.js";
import { scaled } from "../../../support/random-tests.js";
import { anyReply, encode } from "../resp/resp-tree.js";

/** Encodes what is given in the parts that `cuts` make. */
function inParts(bytes: Buffer, cuts: readonly number[], base64: boolean, shape: Shape): string {
  const encoder = new JsonEncoder(base64, shape);
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    encoder.write(bytes.subarray(from, cut));
    // Taken now and then, as it is by a connection.
    if (cut % 3 > 0) out.push(encoder.take());
    from = cut;
  }
  encoder.end();
  out.push(encoder.take());
  return Buffer.concat(out).toString("latin1");
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });
const bulk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);

describe("replies that are encoded a part at a time", () => {
  test("replies encoded in parts are the same bytes as in one go, wherever they are split", () => {
    fc.assert(
      fc.property(anyReply, cuts, fc.boolean(), (tree, at, base64) => {
        const bytes = encode(tree);
        expect(inParts(bytes, at, base64, "one")).toBe(jsonReply(bytes, base64).toString("latin1"));
      }),
      { numRuns: scaled(2_000) },
    );
  });

  test("pipelines and transactions encoded in parts are the same bytes", () => {
    fc.assert(
      fc.property(fc.array(anyReply, { maxLength: 5 }), cuts, fc.boolean(), (items, at, base64) => {
        const replies = items.map(encode);
        const list = jsonReplies(replies, base64).toString("latin1");
        expect(inParts(Buffer.concat(replies), at, base64, "list")).toBe(list);
        const exec = encode({ type: "array", items });
        expect(inParts(exec, at, base64, "elements")).toBe(jsonElements(exec, base64).toString("latin1"));
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test("invalid UTF-8 encoded in parts is the same bytes, split at every position", () => {
    const leads = [0x00, 0x22, 0x41, 0x7f, 0x80, 0xa0, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff];
    const text = fc.array(fc.constantFrom(...leads), { maxLength: 12 }).map((all) => Uint8Array.from(all));
    fc.assert(
      fc.property(text, fc.boolean(), (content, base64) => {
        const bytes = bulk(content);
        const whole = jsonReply(bytes, base64).toString("latin1");
        for (let i = 0; i <= bytes.length; i++) {
          expect(inParts(bytes, [i], base64, "one")).toBe(whole);
          expect(inParts(bytes, [i, i + 1], base64, "one")).toBe(whole);
        }
        expect(inParts(bytes, [...bytes.keys()], base64, "one")).toBe(whole);
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test("a long text with characters of every length encoded in parts is the same bytes", () => {
    const content = Buffer.from("aé\u2028€\u{1f600}\u0000\n".repeat(5_000));
    const bytes = bulk(content);
    for (const base64 of [false, true]) {
      const whole = jsonReply(bytes, base64).toString("latin1");
      for (const step of [1, 7, 1_000, 65_536]) {
        const at = Array.from({ length: Math.floor(bytes.length / step) }, (_, i) => i * step);
        expect(inParts(bytes, at, base64, "one")).toBe(whole);
      }
    }
  });

  test.each(["+", "-ERR "])("a long line that begins with %s is encoded as it comes", (first) => {
    for (const base64 of [false, true]) {
      const encoder = new JsonEncoder(base64, "one");
      const part = Buffer.from("aé\u2028€\u{1f600}".repeat(100));
      const bytes = Buffer.concat([Buffer.from(first), ...new Array(100).fill(part), Buffer.from("\r\n")]);
      const out: Buffer[] = [];
      let [given, encoded] = [0, 0];
      for (let from = 0; from < bytes.length; from += 999) {
        const some = bytes.subarray(from, from + 999);
        encoder.write(some);
        given += some.length;
        out.push(encoder.take());
        encoded += out.at(-1)!.length;
        expect(encoded).toBeGreaterThan(given - 4);
      }
      encoder.end();
      out.push(encoder.take());
      expect(Buffer.concat(out).toString()).toBe(jsonReply(bytes, base64).toString());
    }
  });

  test("long lines encoded in parts are the same bytes, in every place and shape", () => {
    const text = fc
      .array(fc.constantFrom("a", '"', "\u0000", "é", "\u{1f600}", " "), { minLength: 40, maxLength: 200 })
      .map((all) => all.join(""));
    const line = fc.record({ type: fc.constantFrom("status" as const, "error" as const), text });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), cuts, fc.boolean(), (items, at, base64) => {
        const replies = items.map(encode);
        const list = jsonReplies(replies, base64).toString("latin1");
        expect(inParts(Buffer.concat(replies), at, base64, "list")).toBe(list);
        const array = encode({ type: "array", items });
        expect(inParts(array, at, base64, "elements")).toBe(jsonElements(array, base64).toString("latin1"));
        expect(inParts(array, at, base64, "one")).toBe(jsonReply(array, base64).toString("latin1"));
      }),
      { numRuns: scaled(500) },
    );
  });
});

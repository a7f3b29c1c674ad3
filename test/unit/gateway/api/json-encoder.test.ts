import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { JsonEncoder, jsonOf, type Shape } from "../../../../gateway/src/api/json-encoder.js";
import { scaled } from "../../../support/random-tests.js";
import { anyReply, encode, type Tree } from "../resp/resp-tree.js";

const jsonReply = (reply: Buffer, base64: boolean) => jsonOf([reply], base64, "one");

/** The expected value of a reply's JSON. Integers are text with a mark, since JSON.parse would round them. */
function plain(tree: Tree, base64: boolean): unknown {
  switch (tree.type) {
    case "status":
      return base64 ? Buffer.from(tree.text).toString("base64") : tree.text;
    case "error":
      return { error: tree.text };
    case "integer":
      return `int:${tree.digits}`;
    case "bulk":
      return tree.bytes && Buffer.from(tree.bytes).toString(base64 ? "base64" : "utf8");
    case "array":
      return tree.items?.map((item) => plain(item, base64)) ?? null;
  }
}

function wrapped(tree: Tree, base64: boolean): unknown {
  if (tree.type === "error") return { error: tree.text };
  if (tree.type === "status" && tree.text === "OK") return { result: "OK" };
  return { result: plain(tree, base64) };
}

/** Parses JSON. Integers outside strings get the same mark as in `plain`. */
function parse(body: Buffer): unknown {
  return JSON.parse(
    body
      .toString()
      .replace(/"(?:[^"\\]|\\.)*"|-?\d+/g, (token) => (token[0] === '"' ? token : `"int:${token}"`)),
  );
}

describe("replies in JSON", () => {
  test.each([false, true])("a JSON reply contains what Redis replied (base64: %s)", (base64) => {
    fc.assert(
      fc.property(anyReply, (tree) => {
        expect(parse(jsonReply(encode(tree), base64))).toEqual(wrapped(tree, base64));
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test("JSON replies stay separate in a pipeline and in a transaction", () => {
    fc.assert(
      fc.property(fc.array(anyReply, { maxLength: 5 }), fc.boolean(), (items, base64) => {
        const expected = items.map((tree) => wrapped(tree, base64));
        expect(parse(jsonOf(items.map(encode), base64, "list"))).toEqual(expected);
        expect(parse(jsonOf([encode({ type: "array", items })], base64, "elements"))).toEqual(expected);
      }),
      { numRuns: scaled(300) },
    );
  });

  test("a JSON reply is not overwritten by later ones", () => {
    const first = jsonReply(Buffer.from("$3\r\none\r\n"), false);
    for (let i = 0; i < 10_000; i++) jsonReply(Buffer.from("$3\r\ntwo\r\n"), false);
    expect(first.toString()).toBe('{"result":"one"}');
  });

  test.each([
    ["the largest integer", ":9223372036854775807\r\n", '{"result":9223372036854775807}'],
    ["null bulk", "$-1\r\n", '{"result":null}'],
    ["null array", "*-1\r\n", '{"result":null}'],
    ["empty string", "$0\r\n\r\n", '{"result":""}'],
    ["empty array", "*0\r\n", '{"result":[]}'],
    ["empty arrays nested", "*2\r\n*0\r\n*1\r\n*0\r\n", '{"result":[[],[[]]]}'],
    ["control characters", "$3\r\n\0\n\x1f\r\n", '{"result":"\\u0000\\n\\u001f"}'],
    ["an error inside an array", "*2\r\n:1\r\n-ERR x\r\n", '{"result":[1,{"error":"ERR x"}]}'],
  ])("a JSON reply is written as expected: %s", (_, reply, json) => {
    expect(jsonReply(Buffer.from(reply, "latin1"), false).toString()).toBe(json);
  });

  test("a JSON reply replaces invalid UTF-8", () => {
    const reply = Buffer.from("$4\r\na\xff\xc3b\r\n", "latin1");
    expect(jsonReply(reply, false).toString()).toBe('{"result":"a\ufffd\ufffdb"}');
    expect(jsonReply(reply, true).toString()).toBe(
      `{"result":"${Buffer.from("a\xff\xc3b", "latin1").toString("base64")}"}`,
    );
  });

  test("base64 applies to all text but errors and a top-level OK", () => {
    expect(jsonReply(Buffer.from("+OK\r\n"), true).toString()).toBe('{"result":"OK"}');
    expect(jsonReply(Buffer.from("$2\r\nOK\r\n"), true).toString()).toBe('{"result":"T0s="}');
    expect(jsonReply(Buffer.from("*1\r\n+OK\r\n"), true).toString()).toBe('{"result":["T0s="]}');
    expect(jsonReply(Buffer.from("-ERR é\r\n"), true).toString()).toBe('{"error":"ERR é"}');
  });

  test("a JSON reply may be nested deeper than the stack", () => {
    const depth = 200_000;
    const json = jsonReply(Buffer.from(`${"*1\r\n".repeat(depth)}:1\r\n`), false).toString();
    expect(json).toBe(`{"result":${"[".repeat(depth)}1${"]".repeat(depth)}}`);
  });
});

/** Encodes replies that arrive in parts, cut at `cuts`. */
function inParts(bytes: Buffer, cuts: readonly number[], base64: boolean, shape: Shape): string {
  const encoder = new JsonEncoder(base64, shape);
  const out: Buffer[] = [];
  let from = 0;
  for (const cut of [...cuts.map((each) => each % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    encoder.write(bytes.subarray(from, cut));
    // A connection does not take the output after every part.
    if (cut % 3 > 0) out.push(encoder.take());
    from = cut;
  }
  encoder.end();
  out.push(encoder.take());
  return Buffer.concat(out).toString("latin1");
}

/** Expects replies that arrive in parts, cut at `at`, to become the bytes that they become as a whole. */
function expectSame(replies: Buffer[], at: readonly number[], base64: boolean, shape: Shape): void {
  const whole = jsonOf(replies, base64, shape).toString("latin1");
  expect(inParts(Buffer.concat(replies), at, base64, shape)).toBe(whole);
}

const cuts = fc.array(fc.nat(), { maxLength: 8 });
const bulk = (bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);

describe("replies that are encoded a part at a time", () => {
  test("replies are encoded to the same bytes wherever they are split", () => {
    fc.assert(
      fc.property(anyReply, cuts, fc.boolean(), (tree, at, base64) => {
        expectSame([encode(tree)], at, base64, "one");
      }),
      { numRuns: scaled(2_000) },
    );
  });

  test("pipelines and transactions are encoded to the same bytes wherever they are split", () => {
    fc.assert(
      fc.property(fc.array(anyReply, { maxLength: 5 }), cuts, fc.boolean(), (items, at, base64) => {
        expectSame(items.map(encode), at, base64, "list");
        expectSame([encode({ type: "array", items })], at, base64, "elements");
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test("invalid UTF-8 is encoded to the same bytes wherever it is split", () => {
    const leads = [0x00, 0x22, 0x41, 0x7f, 0x80, 0xa0, 0xbf, 0xc0, 0xc3, 0xe0, 0xe2, 0xed, 0xf0, 0xf4, 0xff];
    const text = fc.array(fc.constantFrom(...leads), { maxLength: 12 }).map((all) => Uint8Array.from(all));
    fc.assert(
      fc.property(text, fc.boolean(), (content, base64) => {
        const bytes = bulk(content);
        for (let i = 0; i <= bytes.length; i++)
          for (const at of [[i], [i, i + 1]]) expectSame([bytes], at, base64, "one");
        expectSame([bytes], [...bytes.keys()], base64, "one");
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test("text with characters of 1 to 4 bytes is encoded to the same bytes wherever it is split", () => {
    const content = Buffer.from("aé\u2028€\u{1f600}\u0000\n".repeat(5_000));
    const bytes = bulk(content);
    for (const base64 of [false, true]) {
      for (const step of [1, 7, 1_000, 65_536]) {
        const at = Array.from({ length: Math.floor(bytes.length / step) }, (_, i) => i * step);
        expectSame([bytes], at, base64, "one");
      }
    }
  });

  test.each(["+", "-ERR "])("a long line that begins with %s is encoded as it arrives", (first) => {
    for (const base64 of [false, true]) {
      const encoder = new JsonEncoder(base64, "one");
      const part = Buffer.from("aé\u2028€\u{1f600}".repeat(100));
      const bytes = Buffer.concat([Buffer.from(first), ...new Array(100).fill(part), Buffer.from("\r\n")]);
      const out: Buffer[] = [];
      let [written, encoded] = [0, 0];
      for (let from = 0; from < bytes.length; from += 999) {
        const some = bytes.subarray(from, from + 999);
        encoder.write(some);
        written += some.length;
        out.push(encoder.take());
        encoded += out.at(-1)!.length;
        expect(encoded).toBeGreaterThan(written - 4);
      }
      encoder.end();
      out.push(encoder.take());
      expect(Buffer.concat(out).toString()).toBe(jsonReply(bytes, base64).toString());
    }
  });

  test("long lines are encoded to the same bytes wherever they are split, in every place and shape", () => {
    const text = fc
      .array(fc.constantFrom("a", '"', "\u0000", "é", "\u{1f600}", " "), { minLength: 40, maxLength: 200 })
      .map((all) => all.join(""));
    const line = fc.record({ type: fc.constantFrom("status" as const, "error" as const), text });
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 4 }), cuts, fc.boolean(), (items, at, base64) => {
        expectSame(items.map(encode), at, base64, "list");
        const array = encode({ type: "array", items });
        for (const shape of ["elements", "one"] as const) expectSame([array], at, base64, shape);
      }),
      { numRuns: scaled(500) },
    );
  });
});

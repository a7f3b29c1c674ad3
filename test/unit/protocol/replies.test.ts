import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readJson } from "../../../src/protocol/json.js";
import { MalformedReply } from "../../../src/protocol/malformed.js";
import { type Bulk, ErrorReply, type RawReply } from "../../../src/protocol/reply.js";
import { readResp2 } from "../../../src/protocol/resp2.js";
import { scaled } from "../../support/random-tests.js";

/** A reply as a test would write it down. */
type Plain = null | number | string | { bulk: Uint8Array } | { error: string } | Plain[];

function plain(reply: RawReply): Plain {
  if (Array.isArray(reply)) return reply.map(plain);
  if (reply instanceof ErrorReply) return { error: reply.message };
  if (typeof reply === "object" && reply !== null) return { bulk: (reply as Bulk).bytes() };
  return reply;
}

function resp2(reply: Plain): Buffer {
  if (reply === null) return Buffer.from("$-1\r\n");
  if (typeof reply === "number") return Buffer.from(`:${reply}\r\n`);
  if (typeof reply === "string") return Buffer.from(`+${reply}\r\n`);
  if (Array.isArray(reply)) return Buffer.concat([Buffer.from(`*${reply.length}\r\n`), ...reply.map(resp2)]);
  if ("error" in reply) return Buffer.from(`-${reply.error}\r\n`);
  return Buffer.concat([Buffer.from(`$${reply.bulk.length}\r\n`), reply.bulk, Buffer.from("\r\n")]);
}

const line = fc.stringMatching(/^[A-Za-z ]*$/);
const { tree } = fc.letrec<{ tree: Plain }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constant(null),
    fc.maxSafeInteger(),
    line,
    fc.uint8Array({ maxLength: 40 }).map((bulk) => ({ bulk })),
    line.map((error) => ({ error })),
    fc.array(tie("tree"), { maxLength: 5 }) as fc.Arbitrary<Plain>,
  ),
}));

describe("JSON of an endpoint that is asked for no base64", () => {
  const million = 1_000_000;
  test.each([
    ["a long string", "a".repeat(4 * million)],
    ["a long string of escapes", "\n".repeat(2 * million)],
    ["a string of digits", "1".repeat(million)],
    ["a string of digits that is not an integer", `${"1".repeat(million)}.5`],
  ])("%s beside an integer that JSON.parse rounds is read", (_, text) => {
    const [bulk, digits] = readJson(`{"result":[${JSON.stringify(text)},9007199254740993]}`, false) as Bulk[];
    expect(bulk!.text() === text).toBe(true);
    expect(digits).toBe("9007199254740993");
  });
});

describe("RESP2", () => {
  test("any tree of replies is read as it was written", () => {
    fc.assert(
      fc.property(tree, (reply) => {
        expect(plain(readResp2(resp2(reply)))).toEqual(reply);
      }),
    );
  });

  test("a truncated RESP2 response, and one with extra bytes, is malformed", () => {
    fc.assert(
      fc.property(tree, fc.nat(), (reply, cut) => {
        const whole = resp2(reply);
        expect(() => readResp2(whole.subarray(0, cut % whole.length))).toThrow(MalformedReply);
        expect(() => readResp2(Buffer.concat([whole, Buffer.from("+")]))).toThrow(MalformedReply);
      }),
    );
  });

  test("any bytes are either read or malformed", () => {
    // Of random bytes hardly any get beyond the first one.
    const scrap = fc.constantFrom("*", "$", ":", "+", "-", "\r\n", "\r", "0", "1", "2", "a");
    const scraps = fc.array(scrap, { maxLength: 30, size: "max" }).map((all) => Buffer.from(all.join("")));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 60 }), scraps), (bytes) => {
        try {
          readResp2(bytes);
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedReply);
        }
      }),
      { numRuns: scaled(2000) },
    );
  });

  test.each([
    "",
    "*1000000000\r\n",
    "$-2\r\n",
    ":1x\r\n",
    "+OK\n",
    "?\r\n",
    "*-5\r\n",
    "$3\r\nabcd\r\n",
    "<html>",
  ])("%j is malformed", (text) => expect(() => readResp2(Buffer.from(text))).toThrow(MalformedReply));

  test("an integer that a number would round is returned as its digits", () => {
    expect(readResp2(Buffer.from(":9007199254740993\r\n"))).toBe("9007199254740993");
  });

  test("a byte order mark is part of the value, on Buffer and on plain bytes alike", () => {
    const response = Buffer.from("$4\r\n\u{feff}a\r\n");
    expect((readResp2(response) as Bulk).text()).toBe("\u{feff}a");
    expect((readResp2(new Uint8Array(response)) as Bulk).text()).toBe("\u{feff}a");
  });

  test("RESP2 arrays nested without end are refused", () => {
    expect(() => readResp2(Buffer.from("*1\r\n".repeat(100_000)))).toThrow(MalformedReply);
  });
});

describe("JSON", () => {
  test("JSON arrays nested without end are refused", () => {
    const deep = `${"[".repeat(50_000)}${"]".repeat(50_000)}`;
    expect(() => readJson(`{"result":${deep}}`, false)).toThrow(MalformedReply);
    expect(() => readJson(`[{"result":${deep}}]`, true)).toThrow(MalformedReply);
    const most = `${"[".repeat(64)}1${"]".repeat(64)}`;
    expect(readJson(`{"result":${most}}`, false)).toEqual(JSON.parse(most));
  });

  test("a JSON response contains plain and base64 strings, integers of any size, nulls, nested arrays", () => {
    const big = readJson('{"result":["a",[1,9007199254740993,-12345678901234567],null]}', false);
    expect(plain(big)).toEqual([{ bulk: bytes("a") }, [1, "9007199254740993", "-12345678901234567"], null]);
    expect(plain(readJson('{"result":["YQ==",[1,9007199254740993],null]}', true))).toEqual([
      { bulk: bytes("a") },
      [1, "9007199254740993"],
      null,
    ]);
  });

  test("digits inside strings are left alone", () => {
    const text = '\\"9007199254740993:{"digits":"1"}';
    expect(plain(readJson(JSON.stringify({ result: text }), false))).toEqual({ bulk: bytes(text) });
  });

  test("a top-level OK is plain in base64 too", () => {
    expect(readJson('{"result":"OK"}', true)).toBe("OK");
  });

  test("an error is a reply, alone and in a batch", () => {
    expect(plain(readJson('{"error":"ERR no"}', false))).toEqual({ error: "ERR no" });
    expect(plain(readJson('[{"result":1},{"error":"ERR no"}]', true))).toEqual([1, { error: "ERR no" }]);
  });

  test("an error inside an array is that item's reply", () => {
    const found = readJson('{"result":[1,{"error":"ERR full"},["YQ=="]]}', true);
    expect(plain(found)).toEqual([1, { error: "ERR full" }, [{ bulk: bytes("a") }]]);
  });

  test.each([
    "",
    "<html>",
    "{}",
    "[1]",
    '{"result":{}}',
    '{"result":true}',
    '{"result":"%%"}',
    "null",
    '{"result":1',
  ])("%j is malformed", (text) => expect(() => readJson(text, true)).toThrow(MalformedReply));
});

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

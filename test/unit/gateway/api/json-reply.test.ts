import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonElements, jsonError, jsonReplies, jsonReply } from "../../../../gateway/src/api/json-reply.js";
import { scaled } from "../../../support/random-tests.js";
import { anyReply, encode, type Tree } from "../resp/resp-tree.js";

/** The expected JSON of a reply, by way of objects; integers as marked text, since JSON.parse would round. */
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

/** Marks bare integers in JSON text as the oracle does; strings are skipped. */
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
        expect(parse(jsonReplies(items.map(encode), base64))).toEqual(expected);
        expect(parse(jsonElements(encode({ type: "array", items }), base64))).toEqual(expected);
      }),
      { numRuns: scaled(300) },
    );
  });

  test("a JSON reply does not change later", () => {
    const first = jsonReply(Buffer.from("$3\r\none\r\n"), false);
    for (let i = 0; i < 10_000; i++) jsonReply(Buffer.from("$3\r\ntwo\r\n"), false);
    expect(first.toString()).toBe('{"result":"one"}');
  });

  test.each([
    ["an integer digit by digit", ":9223372036854775807\r\n", '{"result":9223372036854775807}'],
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

  test("a base64 reply leaves only a top-level OK plain", () => {
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

  test("a long string encoded in pieces keeps its characters whole", () => {
    const character = "é€😀";
    for (const shift of ["", "a", "ab", "abc", "abcd"]) {
      const value = shift + character.repeat(500_000);
      const bytes = Buffer.from(value);
      const reply = Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);
      expect(JSON.parse(jsonReply(reply, false).toString()).result === value).toBe(true);
      expect(jsonReply(reply, true).equals(Buffer.from(`{"result":"${bytes.toString("base64")}"}`))).toBe(
        true,
      );
    }
  });

  test("a run of invalid bytes is replaced alike in pieces", () => {
    const bytes = Buffer.alloc(4_200_001, 0x80);
    const reply = Buffer.concat([Buffer.from(`$${bytes.length}\r\n`), bytes, Buffer.from("\r\n")]);
    expect(JSON.parse(jsonReply(reply, false).toString()).result === "\ufffd".repeat(bytes.length)).toBe(
      true,
    );
  });

  test("error texts are escaped", () => {
    expect(JSON.parse(jsonError('a "b"\n').toString())).toEqual({ error: 'a "b"\n' });
  });
});

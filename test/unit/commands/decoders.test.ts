import { describe, expect, test } from "vitest";
import * as decoders from "../../../src/commands/decoders.js";
import type { Decoder } from "../../../src/commands/spec.js";
import { RedisError } from "../../../src/errors.js";
import { BytesBulk, TextBulk } from "../../../src/protocol/bytes.js";
import { resolveCodec } from "../../../src/protocol/codec.js";
import { MalformedReply } from "../../../src/protocol/malformed.js";
import { ErrorReply, type RawReply } from "../../../src/protocol/reply.js";

const b = (text: string) => new TextBulk(text);
const json = resolveCodec("json").decode;

const {
  bytes,
  byField,
  digits,
  float,
  groups,
  int,
  list,
  nested,
  object,
  oneOrMany,
  struct,
  text,
  tuple,
  alternating,
  value,
} = decoders;

describe("a reply that the command doesn't give is an error", () => {
  const cases: [string, Decoder, RawReply][] = [
    ["text from null", text, null],
    ["text from a number", text, 1],
    ["text from an array", text, []],
    ["text from an error inside an array", list(text), [new ErrorReply("ERR x")]],
    ["an integer from null", int, null],
    ["an integer from words", int, b("many")],
    ["an integer from a fraction", int, b("1.5")],
    ["an integer from nothing", int, b("")],
    ["an integer from a number with a fraction", int, 1.5],
    ["an integer from 1e400, which JSON reads as infinity", int, Number.POSITIVE_INFINITY],
    ["an integer from a number without exact digits", int, 1e30],
    ["digits from a number with a fraction", digits, 1.5],
    ["an integer from an array", int, [1]],
    ["a float from words", float, b("much")],
    ["a float from nothing", float, b("")],
    ["a float from null", float, null],
    ["a value from null", value, null],
    ["a value from a number", value, 7],
    ["a value from an array", value, [b("a")]],
    ["a list from null", list(value), null],
    ["a list from text", list(value), b("a")],
    ["a list with a null inside", list(value), [null]],
    ["an object from an odd array", object(value), [b("a")]],
    ["an object from text", object(value), b("a")],
    ["groups from an odd array", groups(text, text), [b("a"), b("b"), b("c")]],
    ["a struct too short", struct({ a: text, b: text }), [b("a")]],
    ["alternating items from half a pair", alternating(value, float), [b("a")]],
    ["a tuple too short", tuple(text, text), [b("a")]],
    ["a tuple too long", tuple(text), [b("a"), b("b")]],
    ["a tuple from null", tuple(text), null],
    ["fields that are too few", byField(1), [b("1")]],
    ["fields from null", byField(1), null],
    ["one or many from a number", oneOrMany(value), 3],
    ["bytes from null", bytes, null],
  ];
  test.each(cases)("an unexpected reply is an error: %s", (_name, decoder, reply) => {
    expect(() => decoder(reply, json, ["key", "a", "b"])).toThrow(MalformedReply);
  });
});

test("text is the same from a status and from a bulk string", () => {
  expect(text("OK")).toBe("OK");
  expect(text(b("OK"))).toBe("OK");
});

test("integers that a number would round keep their digits", () => {
  expect(int(9007199254740991)).toBe(9007199254740991);
  expect(int("9007199254740993")).toBe("9007199254740993");
  expect(int(b("12"))).toBe(12);
  expect(digits(5)).toBe("5");
  expect(digits("18446744073709551615")).toBe("18446744073709551615");
});

test.each([
  ["1.5", 1.5],
  ["inf", Number.POSITIVE_INFINITY],
  ["+inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
  ["nan", Number.NaN],
  ["1e+20", 1e20],
  ["0", 0],
])("the float %s is decoded", (shown, gives) => {
  expect(float(b(shown))).toBe(gives);
});

describe("values go through the codec, names do not", () => {
  const stored = new BytesBulk(new Uint8Array([0xff, 0x31]), 0, 2);
  const asBytes = resolveCodec("bytes").decode;

  test("bytes come back as they are stored", () => {
    expect(value(stored, asBytes, [])).toEqual(new Uint8Array([0xff, 0x31]));
    expect(bytes(stored)).toEqual(new Uint8Array([0xff, 0x31]));
  });

  test("a value sent as a status, as JSON does with a stored OK, goes through the codec", () => {
    expect(value("OK", asBytes, [])).toEqual(new Uint8Array([79, 75]));
  });

  test("an object's names stay text", () => {
    expect(object(value)([b("12"), b("12")], json, [])).toStrictEqual({ 12: 12 });
    const gives = object(value)([b("n"), stored], asBytes, []);
    expect(gives).toEqual({ n: new Uint8Array([0xff, 0x31]) });
  });

  test("a field named __proto__ is a field like any other", () => {
    const gives = object(value)([b("__proto__"), b('{"x":1}')], json, []) as object;
    expect(Object.keys(gives)).toEqual(["__proto__"]);
    expect(Object.getPrototypeOf(gives)).toBe(Object.prototype);
  });
});

describe("what scripts give", () => {
  test("a script's reply keeps its depth, decodes values, and leaves integers and nulls", () => {
    const reply = [1, null, b("[1]"), [b("007"), [b("x")]], "9007199254740993"];
    expect(nested(reply, json, [])).toStrictEqual([1, null, [1], ["007", ["x"]], "9007199254740993"]);
  });

  test("an error inside a script's reply is a RedisError in its place", () => {
    const [first, error] = nested([b("a"), new ErrorReply("WRONGTYPE no")], json, []) as unknown[];
    expect(first).toBe("a");
    expect(error).toBeInstanceOf(RedisError);
    expect(error).toMatchObject({ code: "WRONGTYPE", outcome: "answered" });
  });
});

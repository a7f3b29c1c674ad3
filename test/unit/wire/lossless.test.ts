import fc from "fast-check";
import { expect, test } from "vitest";
import { parseLossless } from "../../../src/wire/lossless.js";

test.each([
  "00123",
  "1e5",
  "1.50",
  "9007199254740993",
  "-0",
  " 12",
  "12 ",
  "+5",
  "0x10",
  "1e21",
  "1e400",
  "NaN",
  "Infinity",
  "-Infinity",
  "",
  '"quoted"',
  "True",
  "nul",
  "{broken",
  "[1,]",
  '{"id":9007199254740993}',
  '{"a":[0.12345678901234567891]}',
  '{"big":1e999}',
])("%j stays the text that was stored", (stored) => {
  expect(parseLossless(stored)).toBe(stored);
});

test.each([
  ["12", 12],
  ["-7", -7],
  ["0", 0],
  ["1.5", 1.5],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["5e-324", 5e-324],
  ["true", true],
  ["false", false],
  ["null", null],
  ["[]", []],
  ['{"a":{"b":[1,2.50,"9007199254740993",null]}}', { a: { b: [1, 2.5, "9007199254740993", null] } }],
  ['{"n":0.1000000000000000055511151231257827}', '{"n":0.1000000000000000055511151231257827}'],
  ['{"n":1e3,"m":12345678901234567891e3}', '{"n":1e3,"m":12345678901234567891e3}'],
  ['{"n":1e3}', { n: 1000 }],
  ['{"text":"1e999 and 12345678901234567890"}', { text: "1e999 and 12345678901234567890" }],
])("%j is read as JSON", (stored, value) => {
  expect(parseLossless(stored)).toEqual(value);
});

test("whatever JSON.stringify writes of objects and arrays is read back", () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (tree) => {
      const text = JSON.stringify(tree);
      expect(parseLossless(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("text is either kept or read without losing a digit", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)), (text) => {
      const value = parseLossless(text);
      if (typeof value === "number") expect(String(value)).toBe(text);
      else if (typeof value === "string") expect(value).toBe(text);
    }),
    { numRuns: 1000 },
  );
});

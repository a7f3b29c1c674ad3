import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseLossless } from "../../../src/protocol/lossless.js";
import { scaled } from "../../support/random-tests.js";

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
  '{"text":"\\"", "n":-0.0, "m":1.00000000000000001}',
])("%j stays the stored text", (stored) => {
  expect(parseLossless(stored)).toBe(stored);
});

test.each([
  ["12", 12],
  ["-7", -7],
  ["0", 0],
  ["1.5", 1.5],
  ["-0.0000010353916207080702", -0.0000010353916207080702],
  ["-2.2250738585072014e-308", -2.2250738585072014e-308],
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
  ['{ "text": "\\\\" , "n": 100E-2 }', { text: "\\", n: 1 }],
  ['["\\"1e999", 1.50, 1e21]', ['"1e999', 1.5, 1e21]],
])("%j is read as JSON", (stored, value) => {
  expect(parseLossless(stored)).toEqual(value);
});

describe("input that would cost a careless parser too much time or stack", () => {
  const million = 1_000_000;
  test.each([
    ["a long string", `"${"a".repeat(4 * million)}"`],
    ["a long string of escapes", `"${"\\n".repeat(2 * million)}"`],
    ["many digits in a string", `"${"1".repeat(million)}x"`],
    ["ones and zeros in turn", `"${"10".repeat(million)}.x"`],
  ])("%s beside a number with an exponent is read quickly", (_, json) => {
    const stored = `[${json}, 1e3]`;
    expect(parseLossless(stored)).toEqual([JSON.parse(json), 1_000]);
  });

  test.each([
    ["zeros", `1${"0".repeat(million)}1`],
    ["zeros and an exponent", `1${"0".repeat(million)}1e-${million}`],
    ["a small fraction", `0.${"0".repeat(million)}1`],
  ])("a number of a million %s stays the stored text, quickly", (_, number) => {
    expect(parseLossless(`[${number}]`)).toBe(`[${number}]`);
  });

  test("many levels beside a number with an exponent are read without a stack overflow", () => {
    const levels = 50_000;
    let value = parseLossless(`${"[".repeat(levels)} 1e3 ${"]".repeat(levels)}`);
    for (let i = 0; i < levels; i++) value = (value as unknown[])[0];
    expect(value).toBe(1_000);
  });
});

test("everything that JSON.stringify writes of objects and arrays is read back", () => {
  fc.assert(
    fc.property(fc.oneof(fc.array(fc.jsonValue()), fc.dictionary(fc.string(), fc.jsonValue())), (tree) => {
      const text = JSON.stringify(tree);
      expect(parseLossless(text)).toEqual(JSON.parse(text));
    }),
  );
});

test("numbers lose no digit, in any notation and at any place", () => {
  const digits = fc.stringMatching(/^[0-9]{0,20}$/);
  const number = fc
    .tuple(fc.boolean(), fc.bigInt(), digits, fc.option(fc.integer({ min: -400, max: 400 })))
    .map(([dot, whole, more, exponent]) => {
      return `${whole}${dot && more ? `.${more}` : ""}${exponent === null ? "" : `e${exponent}`}`;
    });
  const exact = (text: string) => {
    const [, sign, whole, fraction = "", exponent = "0"] = /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(text)!;
    return { value: BigInt(`${sign}${whole}${fraction}`), scale: Number(exponent) - fraction.length };
  };
  const same = (a: string, b: string) => {
    const [one, two] = [exact(a), exact(b)];
    const low = Math.min(one.scale, two.scale);
    if (one.value === 0n || two.value === 0n) return one.value === two.value;
    return one.value * 10n ** BigInt(one.scale - low) === two.value * 10n ** BigInt(two.scale - low);
  };
  fc.assert(
    fc.property(number, fc.string(), fc.constantFrom("", " "), (token, text, space) => {
      const stored = `[${JSON.stringify(text)},${space}${token},${JSON.stringify(token)}]`;
      const value = parseLossless(stored);
      const printed = String(Number(token));
      const kept = Number.isFinite(Number(token)) && same(token, printed) && !/^-0/.test(token);
      expect(value).toEqual(kept ? [text, Number(token), token] : stored);
    }),
    { numRuns: scaled(2_000) },
  );
});

test("text is either kept or read without losing a digit", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double().map(String), fc.bigInt().map(String)), (text) => {
      const value = parseLossless(text);
      if (typeof value === "number") expect(String(value)).toBe(text);
      else if (typeof value === "string") expect(value).toBe(text);
    }),
    { numRuns: scaled(1000) },
  );
});

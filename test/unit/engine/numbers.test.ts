import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addDecimals,
  formatDouble,
  formatDoubleIn17Digits,
} from "../../../gateway/src/engine/embedded/commands/numbers.js";

describe("formatDouble", () => {
  test.each([
    [0.1, "0.1"],
    [3, "3"],
    [-0, "-0"],
    [2.5, "2.5"],
    [1e20, "1e+20"],
    [1e300, "1e+300"],
    [-1e-7, "-1e-7"],
    [0.000001, "0.000001"],
    [1.5e-10, "1.5e-10"],
    [123456789012345680, "123456789012345680"],
    [1e16, "10000000000000000"],
    [-1e17, "-100000000000000000"],
    [2 ** 62, "4611686018427387904"],
    [2 ** 60, "1152921504606846976"],
    [2 ** 63, "9223372036854776000"],
    [0.0001234, "1.234e-4"],
    [0.001, "0.001"],
    [1.7976931348623157e308, "1.7976931348623157e+308"],
    [Infinity, "inf"],
    [-Infinity, "-inf"],
    [Number.NaN, "nan"],
  ])("formatDouble(%d) is %s", (value, text) => {
    expect(formatDouble(value)).toBe(text);
  });

  test("formatDouble's text parses to the same number", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(Number(formatDouble(value))).toBe(value);
      }),
    );
  });
});

describe("formatDoubleIn17Digits", () => {
  test.each([
    [0.1, "0.10000000000000001"],
    [3, "3"],
    [-0, "-0"],
    [-2.5, "-2.5"],
    [0.0001, "0.0001"],
    [0.00001, "1.0000000000000001e-05"],
    [-1e-7, "-9.9999999999999995e-08"],
    [1e16, "10000000000000000"],
    [1e17, "1e+17"],
    [1e300, "1.0000000000000001e+300"],
    [5e-324, "4.9406564584124654e-324"],
    [Infinity, "inf"],
    [Number.NaN, "nan"],
  ])("formatDoubleIn17Digits(%d) is %s", (value, text) => {
    expect(formatDoubleIn17Digits(value)).toBe(text);
  });
});

describe("addDecimals", () => {
  test.each([
    ["0.1", "0.2", "0.3"],
    ["10.50", "0.1", "10.6"],
    ["5.0e3", "2.0e2", "5200"],
    ["3", "-3.0", "0"],
    ["-0.5", "0.25", "-0.25"],
    ["0", "-1e-7", "-0.0000001"],
    ["0", "1e-18", "0"],
    ["0", "0.123456789012345678", "0.12345678901234568"],
    [".5", "1.", "1.5"],
  ])("addDecimals: %s + %s = %s", (left, right, sum) => {
    expect(addDecimals(left, right)).toBe(sum);
  });

  test.each(["", "x", "1.2.3", "inf", "1e99999", " 1", "-", "e5"])("addDecimals refuses %j", (text) => {
    expect(addDecimals("1", text)).toBeUndefined();
  });
});

/** Redis writes whole numbers up to this one, 2^62, as integers with all of their digits. */
const MAX_WHOLE = 2 ** 62;

/**
 * Formats a double as Redis 7.2 and later do: the fewest digits that stand for it, laid out as by `fpconv_dtoa`
 * (github.com/redis/redis/blob/7.2/deps/fpconv/fpconv_dtoa.c). Redis's algorithm needs more digits for about one number in 1,000.
 */
export function formatDouble(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  if (Number.isInteger(value) && Math.abs(value) <= MAX_WHOLE) return String(BigInt(value));
  const [mantissa, power] = Math.abs(value).toExponential().split("e") as [string, string];
  const digits = mantissa.replace(".", "");
  const exponent = Number(power);
  /** The power of ten of the last digit. */
  const last = exponent - digits.length + 1;
  const sign = value < 0 ? "-" : "";
  if (last >= 0 && Math.abs(exponent) < digits.length + 7) return `${sign}${digits}${"0".repeat(last)}`;
  if (last < 0 && (last > -7 || Math.abs(exponent) < 4)) {
    const whole = digits.length + last;
    return whole <= 0
      ? `${sign}0.${"0".repeat(-whole)}${digits}`
      : `${sign}${digits.slice(0, whole)}.${digits.slice(whole)}`;
  }
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : "";
  return `${sign}${digits[0]}${fraction}e${exponent < 0 ? "-" : "+"}${Math.abs(exponent)}`;
}

const PRECISION = 17;

/** Formats a double as C's `%.17g`, as Redis before 7.2 does in replies and every Redis does in ZSCAN of large sets. */
export function formatDoubleIn17Digits(value: number): string {
  const special = formatSpecial(value);
  if (special !== undefined) return special;
  const [mantissa, power] = value.toExponential(PRECISION - 1).split("e") as [string, string];
  const exponent = Number(power);
  const isPlain = exponent >= -4 && exponent < PRECISION;
  const digits = isPlain ? value.toFixed(PRECISION - 1 - exponent) : mantissa;
  const text = digits.includes(".") ? digits.replace(/\.?0+$/, "") : digits;
  if (isPlain) return text;
  return `${text}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

/** Returns the text of a value that has no digits, or of zero, which keeps its sign. */
function formatSpecial(value: number): string | undefined {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
  if (value === 0) return Object.is(value, -0) ? "-0" : "0";
  return undefined;
}

/** Digits after the point that Redis keeps of a number that INCRBYFLOAT wrote. */
const FRACTION_DIGITS = 17;
/** Maximum power of ten of an operand. A long double goes further, up to 4,932. */
const MAX_POWER = 4_000;
/** Bits of a long double's mantissa on x86. */
const MANTISSA_BITS = 64;

/**
 * Adds two numbers, in decimal or hexadecimal digits, and writes the sum without an exponent, as INCRBYFLOAT does. Both and their sum are rounded to
 * long doubles. Returns undefined if either text is not a finite number.
 */
export function addDecimals(left: string, right: string): string | undefined {
  const [a, b] = [parseNumber(left), parseNumber(right)];
  if (!a || !b) return undefined;
  const power = Math.min(a.power, b.power);
  const aligned = [a, b].map((part) => part.mantissa << BigInt(part.power - power)) as [bigint, bigint];
  const sum = round(aligned[0] + aligned[1], 1n);
  return formatDecimal({ ...sum, power: sum.power + power });
}

/** The number `mantissa * 2 ** power`. */
interface Binary {
  readonly mantissa: bigint;
  readonly power: number;
}

const HEXADECIMAL = /^([+-]?)0x(?=\.?[\da-f])([\da-f]*)\.?([\da-f]*)(?:p([+-]?\d{1,5}))?$/i;

function parseHexadecimal(text: string): Binary | undefined {
  const match = HEXADECIMAL.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const digits = BigInt(`0x${whole}${fraction}`);
  return { mantissa: sign === "-" ? -digits : digits, power: Number(exponent) - 4 * fraction.length };
}

function parseNumber(text: string): Binary | undefined {
  const hexadecimal = parseHexadecimal(text);
  if (hexadecimal) return hexadecimal;
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,5}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const power = Number(exponent) - fraction.length;
  if (whole + fraction === "" || Math.abs(power) > MAX_POWER) return undefined;
  const digits = BigInt(whole + fraction);
  const signed = sign === "-" ? -digits : digits;
  return power < 0 ? round(signed, 10n ** BigInt(-power)) : round(signed * 10n ** BigInt(power), 1n);
}

/** Returns the long double that is nearest to a fraction. */
function round(numerator: bigint, denominator: bigint): Binary {
  const surplus = bitLength(numerator) - bitLength(denominator) - MANTISSA_BITS;
  const scaled = (power: number): Binary => ({
    power,
    mantissa:
      power > 0
        ? divide(numerator, denominator << BigInt(power))
        : divide(numerator << BigInt(-power), denominator),
  });
  const result = scaled(surplus);
  return bitLength(result.mantissa) > MANTISSA_BITS ? scaled(surplus + 1) : result;
}

function bitLength(value: bigint): number {
  return (value < 0n ? -value : value).toString(2).length;
}

/** Divides by a positive number. A half is rounded to even. */
function divide(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const quotient = magnitude / divisor;
  const rest = 2n * (magnitude % divisor);
  const isUp = rest > divisor || (rest === divisor && quotient % 2n === 1n);
  const rounded = isUp ? quotient + 1n : quotient;
  return dividend < 0n ? -rounded : rounded;
}

function formatDecimal({ mantissa, power }: Binary): string {
  if (power >= 0) return String(mantissa << BigInt(power));
  const digits = divide(mantissa * 10n ** BigInt(FRACTION_DIGITS), 1n << BigInt(-power));
  const text = String(digits < 0n ? -digits : digits).padStart(FRACTION_DIGITS + 1, "0");
  const fraction = text.slice(-FRACTION_DIGITS).replace(/0+$/, "");
  const whole = text.slice(0, -FRACTION_DIGITS);
  return `${digits < 0n ? "-" : ""}${fraction ? `${whole}.${fraction}` : whole}`;
}

const SPACE = /^[\t-\r ]*/;
const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITY = /^([+-]?)inf(?:inity)?$/i;

export function isInfinite(text: string): boolean {
  return INFINITY.test(text);
}

/** Reads a number as C's `strtod` does, infinity and hexadecimal digits included. Returns undefined for NaN and for other text. */
export function parseFloatText(given: string): number | undefined {
  const text = given.replace(SPACE, "");
  if (DECIMAL.test(text)) return Number(text);
  const infinite = INFINITY.exec(text);
  if (infinite) return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const hexadecimal = parseHexadecimal(text);
  if (!hexadecimal) return undefined;
  const value = Number(hexadecimal.mantissa) * 2 ** hexadecimal.power;
  return text.startsWith("-") && value === 0 ? -0 : value;
}

/** Reads an argument that is a number, as Redis reads a score: without space before it, and in the range of doubles. */
export function parseFloatArgument(text: string): number | undefined {
  const value = /^[\t-\r ]/.test(text) ? undefined : parseFloatText(text);
  const isTooLarge = value !== undefined && !Number.isFinite(value) && !isInfinite(text);
  const isTooSmall = value === 0 && /[1-9a-f]/i.test(text.replace(/^[+-]?0x/i, "").replace(/[ep].*$/i, ""));
  return isTooLarge || isTooSmall ? undefined : value;
}

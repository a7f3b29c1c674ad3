/** Redis writes whole numbers up to this one, 2^62, as integers with all of their digits. */
const MAX_WHOLE = 2 ** 62;

/**
 * Formats a double as Redis 7.2 and later do: the fewest digits that stand for it, laid out as by `fpconv_dtoa`
 * (github.com/redis/redis/blob/7.2/deps/fpconv/fpconv_dtoa.c). Redis's algorithm
 * needs more digits for about one number in 1,000.
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
/** Powers of ten beyond which neither Redis's doubles nor its long doubles are of use. */
const MAX_POWER = 4_000;

/**
 * Adds two decimal numbers exactly and writes the sum without an exponent, as INCRBYFLOAT does.
 * Returns undefined if either text is not a finite number.
 */
export function addDecimals(left: string, right: string): string | undefined {
  const parts = [parseDecimal(left), parseDecimal(right)];
  if (!parts[0] || !parts[1]) return undefined;
  const power = Math.min(parts[0].power, parts[1].power);
  let sum = 0n;
  for (const part of parts) sum += part!.digits * 10n ** BigInt(part!.power - power);
  return formatDecimal(sum, power);
}

interface Decimal {
  readonly digits: bigint;
  /** The power of ten that the digits are to be multiplied by. */
  readonly power: number;
}

function parseDecimal(text: string): Decimal | undefined {
  const match = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,5}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = "", fraction = "", exponent = "0"] = match;
  const power = Number(exponent) - fraction.length;
  if (whole + fraction === "" || Math.abs(power) > MAX_POWER) return undefined;
  const digits = BigInt(whole + fraction);
  return { digits: sign === "-" ? -digits : digits, power };
}

function formatDecimal(value: bigint, power: number): string {
  const sign = value < 0n ? "-" : "";
  let digits = value < 0n ? -value : value;
  if (power >= 0) return `${sign}${digits * 10n ** BigInt(power)}`;
  let places = -power;
  if (places > FRACTION_DIGITS) {
    const unit = 10n ** BigInt(places - FRACTION_DIGITS);
    digits = (digits + unit / 2n) / unit;
    places = FRACTION_DIGITS;
  }
  const text = String(digits).padStart(places + 1, "0");
  const fraction = text.slice(-places).replace(/0+$/, "");
  const whole = text.slice(0, -places);
  const result = fraction ? `${whole}.${fraction}` : whole;
  return result === "0" ? "0" : `${sign}${result}`;
}

const SPACE = "[\\t-\\r ]*";
const DECIMAL = new RegExp(`^${SPACE}[+-]?(?:\\d+\\.?\\d*|\\.\\d+)(?:e[+-]?\\d+)?$`, "i");
const HEXADECIMAL = new RegExp(
  `^${SPACE}([+-]?)0x(?=\\.?[\\da-f])([\\da-f]*)\\.?([\\da-f]*)(?:p([+-]?\\d+))?$`,
  "i",
);
const INFINITY = new RegExp(`^${SPACE}([+-]?)inf(?:inity)?$`, "i");

/** Reads a number as C's `strtod` does, infinity and hexadecimal digits included. Returns undefined for NaN and for other text. */
export function parseFloatText(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  const infinite = INFINITY.exec(text);
  if (infinite) return infinite[1] === "-" ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  const hexadecimal = HEXADECIMAL.exec(text);
  if (!hexadecimal) return undefined;
  const [, sign, whole = "", fraction = "", power = "0"] = hexadecimal;
  const value = Number(`0x${whole}${fraction}`) * 2 ** (Number(power) - 4 * fraction.length);
  return sign === "-" ? -value : value;
}

/** Reads an argument that is a number, as Redis reads a score: without space before it, and in the range of doubles. */
export function parseFloatArgument(text: string): number | undefined {
  const value = /^[\t-\r ]/.test(text) ? undefined : parseFloatText(text);
  const isTooLarge = value !== undefined && !Number.isFinite(value) && !INFINITY.test(text);
  const isTooSmall = value === 0 && /[1-9a-f]/i.test(text.replace(/^[+-]?0x/i, "").replace(/[ep].*$/i, ""));
  return isTooLarge || isTooSmall ? undefined : value;
}

/**
 * Reads stored text as JSON where that loses nothing, and gives the text itself where it would:
 * - a number only if printing it gives the very same text and an integer lies within ±`Number.MAX_SAFE_INTEGER`: beyond
 *   that the type would depend on the digits;
 * - `true`, `false`, `null`;
 * - an object or array unless a number inside would lose digits.
 * Everything else, quoted strings too, stays the text that was stored.
 */
export function parseLossless(text: string): unknown {
  const first = text.charCodeAt(0);
  if (first === 0x7b || first === 0x5b) return parseTree(text); // { [
  if (first === 0x2d || (first >= 0x30 && first <= 0x39)) return parseNumber(text); // - 0..9
  if (text === "true") return true;
  if (text === "false") return false;
  if (text === "null") return null;
  return text;
}

function parseNumber(text: string): number | string {
  // The longest that a double prints as, such as -0.0000010353916207080702.
  if (text.length > 25) return text;
  const value = Number(text);
  // The remainder of NaN or an infinity is NaN, that of an integer is 0.
  return String(value) === text && (Number.isSafeInteger(value) || value % 1) ? value : text;
}

/**
 * A double holds any 15 significant digits: closer to look at is only what has more, or an exponent with the end of a
 * number behind it. With a class for each character V8 searches by steps of several characters (Boyer-Moore).
 */
const SUSPECT = new RegExp(`\\d[eE][-+\\d]\\d*[\\s,\\]}]|${"[\\d.]".repeat(16)}`);

function parseTree(text: string): unknown {
  try {
    const value = JSON.parse(text);
    return SUSPECT.test(text) && !printsAs(value, text) && losesDigits(text) ? text : value;
  } catch {
    return text;
  }
}

/** Most JSON is as JSON.stringify writes it, which is several times faster than checking every number. */
function printsAs(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Deeper than its stack, which JSON.parse does without.
    return false;
  }
}

// No repetition here may fail after it has matched: the stored text may be long, and malicious.
function losesDigits(json: string): boolean {
  let inString = false;
  for (const [token] of json.matchAll(/\\.|"|-?\d[\d.]*(?:[eE][-+]?\d+)?/g)) {
    if (token === '"') inString = !inString;
    else if (!inString && printsOtherwise(token)) return true;
  }
  return false;
}

function printsOtherwise(number: string): boolean {
  const printed = String(Number(number));
  // No double has as many digits before its point and behind it.
  return number !== printed && (number.length > 400 || significand(number) !== significand(printed));
}

/** A number's sign, significant digits and magnitude, whatever way it was written. */
function significand(number: string): string {
  const [, sign, whole, fraction = "", exponent = "0"] =
    /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === undefined) return number;
  const digits = (whole + fraction).replace(/^0+/, "");
  const significant = digits.replace(/0+$/, "");
  if (significant === "") return `${sign}0`;
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

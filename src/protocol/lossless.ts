/**
 * Parses stored text as JSON if that loses nothing. These are parsed:
 * - a number if printing it gives the same text. An integer must also be within ±`Number.MAX_SAFE_INTEGER`: beyond that, some
 *   integers would be parsed and their neighbours not;
 * - `true`, `false`, `null`;
 * - an object or array, unless a number inside would lose digits.
 * Any other text, such as a quoted string, is returned unchanged.
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
  // Maximum length of a printed double, such as -0.0000010353916207080702.
  if (text.length > 25) return text;
  const value = Number(text);
  // The remainder of NaN or an infinity is NaN, that of an integer is 0.
  return String(value) === text && (Number.isSafeInteger(value) || value % 1) ? value : text;
}

/**
 * Finds a number that may lose digits: one with an exponent, or with more than 15 digits. Doubles hold any 15 digits.
 * Repeating `[\d.]` instead of writing `[\d.]{16}` lets V8 skip several characters at a time (Boyer-Moore).
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

/** Whether JSON.stringify returns the same text, as for most JSON. This is several times faster than checking each number. */
function printsAs(value: unknown, text: string): boolean {
  try {
    return JSON.stringify(value) === text;
  } catch {
    // Nested too deep for JSON.stringify, unlike JSON.parse.
    return false;
  }
}

// The regular expression must not backtrack, because the stored text may be long and malicious.
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
  // A double without an exponent has fewer than 400 characters, so a longer number is taken to lose digits.
  return number !== printed && (number.length > 400 || significand(number) !== significand(printed));
}

/**
 * Returns a number's sign and significant digits. If they equal those of its double, the exponents are equal too, because rounding changes
 * a number only slightly.
 */
const significand = (number: string): string =>
  number
    .replace(/[eE].*|\./g, "")
    .replace(/^(-?)0+/, "$1")
    .replace(/0+$/, "");

/**
 * Reads stored text as JSON where that loses nothing, and gives the text itself where it would:
 * - a number only if printing it gives the very same text and, for an integer, if it is safe;
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
  // The longest that a double prints as, such as -2.2250738585072014e-308.
  if (text.length > 24) return text;
  const value = Number(text);
  // What is left of a number that is none, or without end, is none; of one that is whole it is 0.
  return String(value) === text && (Number.isSafeInteger(value) || value % 1) ? value : text;
}

function parseTree(text: string): unknown {
  // A double holds any 15 significant digits; look closer only where there may be more, or an exponent. The expression
  // begins with one class: that is how V8 searches a megabyte fast.
  if (/\d(?:[eE]|[\d.]{15})/.test(text) && losesDigits(text)) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function losesDigits(json: string): boolean {
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g)) {
    if (!token.startsWith('"') && significand(token) !== significand(String(Number(token)))) return true;
  }
  return false;
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

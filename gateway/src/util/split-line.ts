/** Escapes within double quotes, beside `\xHH`. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", a: "\x07" };
/** The whitespace of C's `isspace`. JavaScript's `\s` also matches the byte A0, which letters such as à contain. */
const SPACE = /[ \t\n\v\f\r]/;

/** The pieces of quoted text: the closing quote, an escape, or other text. */
const IN_DOUBLE = /"|\\x(?<hex>[\da-f]{2})|\\(?<sign>.)|[^"\\]+/isy;
const IN_SINGLE = /'|\\(?<sign>')|\\|[^'\\]+/sy;

/** The quotes of a line are not valid for redis-cli. */
export class QuoteError extends Error {}

/**
 * Splits a line into arguments as redis-cli does: blanks separate them; within double quotes `\n`, `\r`, `\t`, `\b`, `\a`,
 * `\xHH` and a backslash before any other character are escapes; within single quotes `\'` alone is.
 * @param line one character for each byte (Latin-1)
 * @returns the arguments, one character for each byte
 * @throws {QuoteError} when a quote is not closed, or something other than a blank follows its end
 */
export function splitLine(line: string): string[] {
  const found: string[] = [];
  let at = 0;
  for (;;) {
    while (at < line.length && SPACE.test(line[at]!)) at++;
    if (at === line.length) return found;
    let argument = "";
    while (at < line.length && !SPACE.test(line[at]!)) {
      const sign = line[at]!;
      if (sign !== '"' && sign !== "'") {
        argument += sign;
        at++;
        continue;
      }
      const [text, end] = quoted(line, at);
      argument += text;
      at = end;
      if (at < line.length && !SPACE.test(line[at]!))
        throw new QuoteError("a closing quote must be followed by a space");
    }
    found.push(argument);
  }
}

/** Reads from an opening quote up to the closing one; returns the text between them and where the line goes on. */
function quoted(line: string, from: number): [text: string, end: number] {
  const quote = line[from];
  const piece = quote === '"' ? IN_DOUBLE : IN_SINGLE;
  let text = "";
  piece.lastIndex = from + 1;
  for (let found = piece.exec(line); found; found = piece.exec(line)) {
    if (found[0] === quote) return [text, piece.lastIndex];
    const { hex, sign = "" } = found.groups!;
    text += hex ? String.fromCharCode(Number.parseInt(hex, 16)) : (ESCAPES[sign] ?? (sign || found[0]));
  }
  throw new QuoteError("a quote is not closed");
}

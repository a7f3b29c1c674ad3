/** Escapes within double quotes, beside `\xHH`. */
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t", b: "\b", a: "\x07" };
/** The blanks of C. JavaScript has more, and one of them is a byte of letters such as à. */
const SPACE = /[ \t\n\v\f\r]/;

/** A line's quotes are not as redis-cli reads them. */
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
      const [text, end] = sign === '"' ? doubleQuoted(line, at + 1) : singleQuoted(line, at + 1);
      argument += text;
      at = end;
      if (at < line.length && !SPACE.test(line[at]!))
        throw new QuoteError("a closing quote must be followed by a space");
    }
    found.push(argument);
  }
}

/** Reads up to the closing quote; returns the text and where the line goes on. */
function doubleQuoted(line: string, from: number): [text: string, end: number] {
  let text = "";
  for (let at = from; at < line.length; at++) {
    const sign = line[at]!;
    if (sign === '"') return [text, at + 1];
    if (sign !== "\\" || at + 1 === line.length) {
      text += sign;
      continue;
    }
    const [, hex] = /^x([\da-f]{2})/i.exec(line.slice(at + 1, at + 4)) ?? [];
    if (hex === undefined) {
      const escaped = line[++at]!;
      text += ESCAPES[escaped] ?? escaped;
    } else {
      text += String.fromCharCode(Number.parseInt(hex, 16));
      at += 3;
    }
  }
  throw new QuoteError("a quote is not closed");
}

function singleQuoted(line: string, from: number): [text: string, end: number] {
  let text = "";
  for (let at = from; at < line.length; at++) {
    const sign = line[at]!;
    if (sign === "'") return [text, at + 1];
    if (sign === "\\" && line[at + 1] === "'") at++;
    text += line[at]!;
  }
  throw new QuoteError("a quote is not closed");
}

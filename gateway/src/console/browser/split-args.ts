const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", a: "\x07" };

/**
 * Splits a line into arguments as redis-cli does: arguments in double quotes may hold escapes (`\n`, `\xff`), those in single
 * quotes are taken as they are.
 * @throws Error when a quote is left open, or when something follows one without a space
 */
export function splitArgs(line: string): (string | Uint8Array)[] {
  const args: (string | Uint8Array)[] = [];
  let rest = line.trim();
  while (rest !== "") {
    const [whole, double, single] =
      /^"((?:[^"\\]|\\.)*)"(?=\s|$)|^'((?:[^'\\]|\\.)*)'(?=\s|$)|^[^\s"']\S*/s.exec(rest) ?? [];
    if (whole === undefined) throw new Error("a quote is not closed, or is not followed by a space");
    if (double !== undefined) args.push(unescaped(double));
    else args.push(single === undefined ? whole : single.replaceAll("\\'", "'"));
    rest = rest.slice(whole.length).trimStart();
  }
  return args;
}

function unescaped(text: string): string | Uint8Array {
  if (!/\\x[0-9a-f]{2}/i.test(text)) return text.replace(/\\(.)/gs, (_, c: string) => ESCAPES[c] ?? c);
  const encoder = new TextEncoder();
  const bytes = [...text.matchAll(/\\x([0-9a-f]{2})|\\(.)|([^\\]+)/gis)].flatMap(([, hex, escaped, plain]) =>
    hex === undefined
      ? [...encoder.encode(plain ?? ESCAPES[escaped!] ?? escaped)]
      : [Number.parseInt(hex, 16)],
  );
  return Uint8Array.from(bytes);
}

import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

/**
 * Returns the lines of a page's table that a run makes, between `<!-- name -->` and `<!-- /name -->`. With WRITE_TABLES=1 in
 * the environment it replaces them with these lines first.
 */
export function tableOf(page: string, name: string, lines: readonly string[]): string[] {
  const file = resolve(root, page);
  const [begin, end] = [`<!-- ${name} -->\n`, `<!-- /${name} -->`];
  let text = readFileSync(file, "utf8");
  const [before, rest] = text.split(begin);
  const [inside, after] = rest?.split(end) ?? [];
  if (inside === undefined || after === undefined) throw new Error(`${page} has no table ${name}`);
  if (process.env.WRITE_TABLES === "1") {
    text = `${before}${begin}${lines.join("\n")}\n${end}${after}`;
    writeFileSync(file, text);
    return [...lines];
  }
  return inside.trim().split("\n");
}

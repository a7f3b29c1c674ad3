import ts from "typescript";
import { expect, test } from "vitest";
import { lineOf, parse, sourcesIn, textOf, walk } from "./sources.js";

/** First words of names without a subject. */
const NO_SUBJECT = new Set(
  (
    "and or but is are was were has have had does do did can may must should will of in on by to from as at while " +
    "where when if that this which whose who what whatever whoever such those it its so"
  ).split(" "),
);

/** Words of the private language, and people in the machine. */
const RETIRED = /\b(nobody|somebody|whoever|told|tells|doubt\w*|given up|gives up)\b/i;

const files = sourcesIn("test").filter(({ path }) => /\.test(-d)?\.ts$/.test(path));

/** Returns the names in the file's calls of `test`, each with its place. */
function namesOf(file: (typeof files)[number]): (readonly [at: string, name: string])[] {
  const names: (readonly [string, string])[] = [];
  walk(parse(file), (node) => {
    if (!ts.isCallExpression(node) || !/^(test|routeTest)\b/.test(node.expression.getText())) return;
    const [first] = node.arguments;
    const name = first && textOf(first);
    if (name !== undefined) names.push([`${file.path}:${lineOf(node)}`, name]);
  });
  return names;
}

test("every test name is a sentence with a subject", () => {
  const names = files.flatMap(namesOf);
  expect(names.length).toBeGreaterThan(1_000);
  const found = names.filter(([, name]) => {
    const parts = name
      .replace(/\$\{[^}]*\}/g, "X")
      .trim()
      .split(/\s+/);
    return parts.length < 3 || NO_SUBJECT.has(parts[0]!.toLowerCase()) || RETIRED.test(name);
  });
  expect(found.map(([at, name]) => `${at}: ${name}`)).toEqual([]);
});

import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { CODE, lineOf, parse, sourcesIn, walk } from "./sources.js";

const root = resolve(import.meta.dirname, "../../..");
const files = CODE.flatMap(sourcesIn);

test("no doc comment begins without naming its thing", () => {
  const found = files.flatMap(({ path, text }) =>
    Array.from(
      text.matchAll(/\/\*\*\s+(?:\* )?((?:What|Whoever|Those|Such|Whose|Who|Of|The same)\b[^\n]*)/g),
      (match) => {
        const line = text.slice(0, match.index).split("\n").length;
        return `${path}:${line}: ${match[1]}`;
      },
    ),
  );
  expect(found).toEqual([]);
});

/** Calls that have an effect, by the first word of their name. */
const EFFECT = /^(start|create|open|readFile|write|close|send|listen|random|connect|run)([A-Z]|$)/;

test("no exported function named xOf has an effect", () => {
  const found = files.flatMap((file) =>
    exportedFunctions(file).filter(([, name, body]) => /[a-z]Of$/.test(name) && hasEffect(body)),
  );
  expect(found.map(([at, name]) => `${at}: ${name}`)).toEqual([]);
});

function exportedFunctions(file: (typeof files)[number]): [at: string, name: string, body: ts.Node][] {
  return parse(file).statements.flatMap((statement): [string, string, ts.Node][] => {
    if (!ts.canHaveModifiers(statement)) return [];
    if (!ts.getModifiers(statement)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)) return [];
    const at = `${file.path}:${lineOf(statement)}`;
    if (ts.isFunctionDeclaration(statement) && statement.name && statement.body) {
      return [[at, statement.name.text, statement]];
    }
    if (!ts.isVariableStatement(statement)) return [];
    return statement.declarationList.declarations.flatMap(
      ({ name, initializer }): [string, string, ts.Node][] =>
        initializer && ts.isArrowFunction(initializer) ? [[at, name.getText(), initializer]] : [],
    );
  });
}

function hasEffect(node: ts.Node): boolean {
  let effect = false;
  walk(node, (each) => {
    if (each.kind === ts.SyntaxKind.AsyncKeyword) effect = true;
    if (!ts.isCallExpression(each)) return;
    const name = each.expression.getText().split(/[.#]/).at(-1)!;
    effect ||= (EFFECT.test(name) && name !== "createHash") || name.endsWith("Sync");
  });
  return effect;
}

/** Files of a folder whose name a folder below uses for its own part of the same thing. */
const INTERFACES = new Set(["src/types.ts", "src/transport/transport.ts"]);

// Names of sibling folders say how they differ. A file above both does not.
test("no file has the name of a file in a folder below it", () => {
  const paths = files.map(({ path }) => path);
  const found = paths.filter((path) => {
    const below = `${dirname(path)}/`;
    const isTwin = (other: string) => basename(other) === basename(path) && dirname(other).startsWith(below);
    return basename(path) !== "index.ts" && !INTERFACES.has(path) && paths.some(isTwin);
  });
  expect(found).toEqual([]);
});

test("the glossary has at most 40 terms, one line each, and README links it", () => {
  const page = readFileSync(join(root, "docs/glossary.md"), "utf8");
  const terms = [...page.matchAll(/^\| (?!term \||-)(.+?) \| (.+?) \|$/gm)].map(([, term]) => term!);
  expect(terms.length).toBeGreaterThan(10);
  expect(terms.length).toBeLessThanOrEqual(40);
  expect(terms).toEqual([...new Set(terms)].sort((a, b) => a.localeCompare(b, "en")));
  expect(readFileSync(join(root, "README.md"), "utf8")).toContain("](docs/glossary.md)");
});

/** Words of the private language, and people in the machine, in prose. Code in backticks is left out. */
const RETIRED_PROSE =
  /\b(nobody|somebody|whoever|(?<!\()answers?|doubt\w*|told|tells|asks|asked|given up|gives up|goes on|vouch\w*|in vain|without a word)\b/i;

test("no page has a word of the private language", () => {
  const folders = [
    "",
    "docs",
    "gateway",
    "compat",
    "adapters",
    "testbed",
    "bench",
    "examples",
    "skills/warmline",
  ];
  const pages = folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith(".md") && name !== "CONTRIBUTING.md" && name !== "CHANGELOG.md")
      .map((name) => join(folder, name)),
  );
  const found = pages.flatMap((page) =>
    readFileSync(join(root, page), "utf8")
      .split("\n")
      .flatMap((line, at) =>
        RETIRED_PROSE.test(line.replace(/`[^`]*`/g, "")) ? [`${page}:${at + 1}: ${line}`] : [],
      ),
  );
  expect(found).toEqual([]);
});

import { mkdirSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { CODE, lineOf, parse, sourcesIn, textOf, walk } from "./sources.js";

/** Words of the private language, and people in the machine. */
const RETIRED =
  /\b(nobody|somebody|someone|whoever|answer|answers|answered|words?|told|tells|asks|asked|knows|doubt\w*|given up|gives? up|that is none|under way|in its turn|without sense|vouch\w*|understood)\b/i;

/** Texts that are not messages of ours: the name of an outcome, Redis's own texts, samples, shell and Lua programs. */
const EXEMPT = /^answered$|^LOLWUT|redis\.call|Stephen Hawking|while read -r|read -r word|Ada Lovelace/;

const LIST = resolve(import.meta.dirname, "../../../build/messages.txt");

interface Message {
  readonly at: string;
  readonly text: string;
}

/** Returns the strings and templates of prose: at least two words, one of them in lower case. */
function messagesOf(folder: string): Message[] {
  return sourcesIn(folder).flatMap((source) => {
    const found: Message[] = [];
    walk(parse(source), (node) => {
      if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return false;
      // Names of options in a command's spec.
      if (ts.isCallExpression(node) && node.expression.getText() === "options") return false;
      const text = textOf(node);
      if (text === undefined) return true;
      const prose = text.replace(/\$\{[^}]*\}/g, "X").trim();
      if (/\S\s+\S/.test(prose) && /\b[a-z]{2,}\b/.test(prose)) {
        found.push({ at: `${source.path}:${lineOf(node)}`, text });
      }
      return ts.isTemplateExpression(node) || ts.isBinaryExpression(node);
    });
    return found;
  });
}

const messages = CODE.flatMap(messagesOf);

test("all messages are listed in build/messages.txt, to be read together", () => {
  expect(messages.length).toBeGreaterThan(500);
  mkdirSync(resolve(LIST, ".."), { recursive: true });
  writeFileSync(LIST, messages.map(({ at, text }) => `${at}\t${text.replaceAll("\n", "\\n")}\n`).join(""));
});

test("no message has a word of the private language", () => {
  const found = messages.filter(
    ({ text }) => RETIRED.test(text.replace(/\$\{[^}]*\}/g, "")) && !EXEMPT.test(text),
  );
  expect(found.map(({ at, text }) => `${at}: ${text}`)).toEqual([]);
});

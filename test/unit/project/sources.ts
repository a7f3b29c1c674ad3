import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import ts from "typescript";

const root = resolve(import.meta.dirname, "../../..");

/** The folders of hand-written code that is published or measured with. */
export const CODE = ["src", "gateway/src", "compat/src", "adapters/src", "bench/src", "testbed/src"] as const;

export interface SourceFile {
  /** Relative to the root of the repository. */
  readonly path: string;
  readonly text: string;
}

/** Returns the TypeScript files below a folder, given relative to the root, generated ones left out. */
export function sourcesIn(folder: string): SourceFile[] {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.m?tsx?$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .filter((path) => !/\/(node_modules|dist)\//.test(path))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Returns the file as a syntax tree with links to parents. */
export function parse({ path, text }: SourceFile): ts.SourceFile {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

/** Calls `visit` for the node and all nodes below it, except below a node for which it returns false. */
export function walk(node: ts.Node, visit: (node: ts.Node) => unknown): void {
  if (visit(node) === false) return;
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** Returns the text of a string, a template or their sum with `${...}` for expressions; undefined for other nodes. */
export function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const spans = node.templateSpans.map((span) => placeholder(span.expression) + span.literal.text);
    return node.head.text + spans.join("");
  }
  if (!ts.isBinaryExpression(node) || node.operatorToken.kind !== ts.SyntaxKind.PlusToken) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  if (left === undefined && right === undefined) return undefined;
  return (left ?? placeholder(node.left)) + (right ?? placeholder(node.right));
}

const placeholder = (node: ts.Node) => `\${${node.getText().replace(/\s+/g, " ").slice(0, 30)}}`;

/** Returns the line of a node, from 1. */
export const lineOf = (node: ts.Node) =>
  node.getSourceFile().getLineAndCharacterOfPosition(node.getStart()).line + 1;

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export const root = resolve(import.meta.dirname, "../../..");

/** A block of code in a page. */
export interface Block {
  /** The page, from the repository's root. */
  readonly page: string;
  /** The line of the page that it begins on, from 1. */
  readonly line: number;
  /** The block's language: `ts`, `sh`, ...; empty for the output of programs. */
  readonly language: string;
  readonly code: string;
}

/** Every page that is written for people. */
export function pages(): string[] {
  const below = (folder: string, depth: number): string[] =>
    readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        return depth > 0 && !["node_modules", "dist", "report"].includes(entry.name)
          ? below(path, depth - 1)
          : [];
      }
      return entry.name.endsWith(".md") ? [path] : [];
    });
  const folders = ["gateway", "compat", "adapters", "testbed", "bench", "docs", "examples", "skills"].filter(
    (each) => existsSync(join(root, each)),
  );
  return [...below(".", 0), ...below("test", 0), ...folders.flatMap((folder) => below(folder, 2))];
}

/** Every block of a page. */
export function blocksOf(page: string, text = readFileSync(join(root, page), "utf8")): Block[] {
  return [...text.matchAll(/^( *)```([^\n]*)\n(.*?)^ *```$/gms)].map(
    ({ index, 1: indent, 2: info, 3: code }) => ({
      page,
      line: text.slice(0, index).split("\n").length + 1,
      language: info!.split(" ")[0]!,
      code: code!.replaceAll(new RegExp(`^${indent}`, "gm"), ""),
    }),
  );
}

/** The blocks of all pages in one of these languages. */
export function blocksIn(...languages: readonly string[]): Block[] {
  return pages()
    .flatMap((page) => blocksOf(page))
    .filter(({ language }) => languages.includes(language));
}

/** The anchors of a page's headings, as GitHub makes them. */
export function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title]) =>
    title!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-"),
  );
}

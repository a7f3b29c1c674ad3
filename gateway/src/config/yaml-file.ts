import { readFileSync } from "node:fs";
import { isMap, isSeq, LineCounter, parseDocument } from "yaml";

/** A file of settings can't be used. The message names the file and the line, never the text of the line. */
export class FileError extends Error {}

/**
 * Reads a file of YAML 1.2, of which JSON is a part.
 * @throws {FileError} when there is no such file, or when it is not well-formed.
 */
export function readYamlFile(path: string) {
  return parseYaml(readTextFile(path), path);
}

/**
 * Parses YAML 1.2. `path` is its source, for errors.
 * @throws {FileError} when it is not well-formed.
 */
export function parseYaml(text: string, path: string) {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    const what = error.code.toLowerCase().replaceAll("_", " ");
    throw new FileError(`${path}: line ${line}, column ${col}: not valid YAML or JSON (${what})`);
  }
  return {
    text,
    /** The whole as plain JavaScript values. */
    value: document.toJS({ maxAliasCount: 100 }) as unknown,
    /** The line of what is found by these keys and indexes, or of the nearest thing around it. */
    lineOf(keys: readonly (string | number)[]): number {
      let node: unknown = document.contents;
      let at = 0;
      for (const key of keys) {
        if (isMap(node)) {
          const pair = node.items.find((item) => String(item.key) === key);
          at = rangeStart(pair?.key) ?? at;
          node = pair?.value;
        } else if (isSeq(node)) {
          node = node.items[Number(key)];
          at = rangeStart(node) ?? at;
        }
      }
      return lines.linePos(at).line;
    },
  };
}

/** A byte order mark, as Windows may put it at the beginning of a file; decoded as UTF-8, or as Latin-1. */
const BYTE_ORDER_MARK = /^(?:\uFEFF|\xEF\xBB\xBF)/;

/**
 * Reads a file whole, without a byte order mark.
 * @throws {FileError} with a readable message.
 */
export function readTextFile(path: string, encoding: "utf8" | "latin1" = "utf8"): string {
  try {
    return readFileSync(path, encoding).replace(BYTE_ORDER_MARK, "");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new FileError(
      `${path}: ${code === "ENOENT" ? "there is no such file" : `it cannot be read (${code})`}`,
    );
  }
}

/** The place of a nested value below a name, such as `tokens[1].role`. */
export function pathText(name: string, keys: readonly (string | number)[]): string {
  return name + keys.map((each) => (typeof each === "number" ? `[${each}]` : `.${each}`)).join("");
}

function rangeStart(node: unknown): number | undefined {
  return (node as { range?: [number, number, number] } | undefined)?.range?.[0];
}

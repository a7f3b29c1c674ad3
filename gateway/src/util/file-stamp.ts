import { statSync } from "node:fs";
import { stat } from "node:fs/promises";

/** Returns a text that changes when the file changes, without reading it. Follows links: a mounted secret changes its link. */
export async function stampOf(path: string): Promise<string> {
  return stat(path).then(textOf, codeOf);
}

/** The synchronous {@link stampOf}. */
export function stampNow(path: string): string {
  try {
    return textOf(statSync(path));
  } catch (error) {
    return codeOf(error);
  }
}

function textOf({ ino, mtimeMs, size }: { ino: number; mtimeMs: number; size: number }): string {
  return `${ino}:${mtimeMs}:${size}`;
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? "none";
}

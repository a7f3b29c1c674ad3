import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { newFolder } from "../../support/new-folder.js";

/** The file's source with nothing but the import of the reference client changed. */
export function swapped(file: string): string {
  const source = readFileSync(file, "utf8");
  const changed = source.replace('from "@upstash/redis";', 'from "warmline";');
  if (changed === source || changed.includes("@upstash/redis")) {
    throw new Error(`${file} has to import @upstash/redis, once`);
  }
  return changed;
}

/** Runs the module that {@link swapped} returns, as it is published: from `dist`. */
export async function importSwapped<T>(file: string): Promise<T> {
  const { outputFiles } = await build({
    stdin: { contents: swapped(file), resolveDir: dirname(file), sourcefile: file, loader: "ts" },
    bundle: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  const folder = newFolder("swapped");
  try {
    const module = join(folder, "module.mjs");
    writeFileSync(module, outputFiles[0]!.contents);
    return await import(pathToFileURL(module).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

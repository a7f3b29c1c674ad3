import { SourceMap } from "node:module";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";

const root = join(import.meta.dirname, "..");

export interface Size {
  /** Bytes, minified, in one file. */
  readonly minified: number;
  /** Bytes, minified and gzipped, in one file. */
  readonly gzipped: number;
  /** The same by the folder of `src` that the bytes come from, the largest first. */
  readonly parts: readonly Part[];
}

export interface Part {
  readonly folder: string;
  /** Bytes, minified. */
  readonly minified: number;
  /** By how many bytes the entry, minified and gzipped, is smaller without this folder. The sum over folders is less than the total. */
  readonly gzipped: number;
}

/**
 * Returns the size of a bundle that only exports `Redis` of an entry.
 * @param entry a file of `src`.
 */
export async function sizeOf(entry: string, platform: BuildOptions["platform"]): Promise<Size> {
  const { outputFiles } = await build({
    stdin: { contents: `export { Redis } from "./src/${entry}";`, resolveDir: root, sourcefile: "entry.ts" },
    absWorkingDir: root,
    outfile: "dist/entry.js",
    bundle: true,
    format: "esm",
    target: "es2022",
    platform,
    minify: true,
    sourcemap: "external",
    write: false,
  });
  const [map, code] = outputFiles;
  return {
    minified: code!.contents.length,
    gzipped: gzipped(code!.contents),
    parts: measureParts(code!.text, JSON.parse(map!.text)),
  };
}

/** Returns the share of each source folder in a bundle. */
function measureParts(code: string, map: ConstructorParameters<typeof SourceMap>[0]): Part[] {
  const sources = new SourceMap(map);
  const runs: { folder: string; text: string }[] = [];
  for (const [at, line] of code.split("\n").entries()) {
    for (let column = 0; column < line.length; column++) {
      const entry = sources.findEntry(at, column);
      const source = "originalSource" in entry ? entry.originalSource : "";
      const folder = /src\/([^/]+\/?)/.exec(source)?.[1] ?? "";
      const last = runs.at(-1);
      if (last?.folder === folder) last.text += line[column];
      else runs.push({ folder, text: line[column]! });
    }
  }
  const textOf = (includes: (folder: string) => boolean) =>
    runs.map(({ folder, text }) => (includes(folder) ? text : "")).join("");
  const whole = gzipped(textOf(() => true));
  return [...new Set(runs.map(({ folder }) => folder))]
    .map((folder) => ({
      folder,
      minified: textOf((other) => other === folder).length,
      gzipped: whole - gzipped(textOf((other) => other !== folder)),
    }))
    .sort((a, b) => b.gzipped - a.gzipped);
}

function gzipped(contents: Uint8Array | string): number {
  return gzipSync(contents, { level: 9 }).length;
}

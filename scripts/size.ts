import { SourceMap } from "node:module";
import { basename, join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build, type Metafile } from "esbuild";

const root = join(import.meta.dirname, "..");

export interface Size {
  /** Bytes, minified, in one file. */
  readonly minified: number;
  /** Bytes, minified and gzipped, in one file: what a bundler gives that does not split. */
  readonly gzipped: number;
  /** Bytes, minified and gzipped, of what is loaded at the start, where a bundler splits. */
  readonly eager: number;
  /** What is loaded at the start, by the folder of `src` that it comes from, the largest first. */
  readonly parts: readonly Part[];
}

export interface Part {
  readonly folder: string;
  /** Bytes, minified. */
  readonly minified: number;
  /** By how many bytes the entry, minified and gzipped, is smaller without it. Together that is less than all. */
  readonly gzipped: number;
}

/**
 * What an entry adds to a bundle that imports `Redis` from it and nothing else.
 * @param entry a file of `src`.
 */
export async function sizeOf(entry: string, platform: BuildOptions["platform"]): Promise<Size> {
  const options = {
    stdin: { contents: `export { Redis } from "./src/${entry}";`, resolveDir: root, sourcefile: "entry.ts" },
    absWorkingDir: root,
    outdir: "dist",
    bundle: true,
    format: "esm",
    target: "es2022",
    platform,
    minify: true,
    metafile: true,
    write: false,
  } as const satisfies BuildOptions;
  const { outputFiles } = await build(options);
  const { contents } = outputFiles[0]!;
  const split = await build({ ...options, splitting: true, sourcemap: "external" });
  const atStart = staticallyImported(split.metafile);
  const eager = split.outputFiles.filter(({ path }) => atStart.has(basename(path)));
  const maps = split.outputFiles.filter(({ path }) => atStart.has(basename(path, ".map")));
  return {
    minified: contents.length,
    gzipped: gzipped(contents),
    eager: eager.reduce((sum, file) => sum + gzipped(file.contents), 0),
    parts: eager.flatMap((file) =>
      partsOf(file.text, JSON.parse(maps.find(({ path }) => path === `${file.path}.map`)!.text)),
    ),
  };
}

/** The folders that a bundle's characters come from, and what it would be without those of one. */
function partsOf(code: string, map: ConstructorParameters<typeof SourceMap>[0]): Part[] {
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
  const textOf = (own: (folder: string) => boolean) =>
    runs.map(({ folder, text }) => (own(folder) ? text : "")).join("");
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

/** The names of the files that are loaded with the entry. */
function staticallyImported({ outputs }: Metafile): Set<string> {
  const found = new Set<string>();
  const visit = (path: string) => {
    if (found.has(basename(path))) return;
    found.add(basename(path));
    for (const { path: next, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") visit(next);
    }
  };
  for (const [path, { entryPoint }] of Object.entries(outputs)) if (entryPoint === "entry.ts") visit(path);
  return found;
}

import { basename, join, relative } from "node:path";
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
  /** Minified bytes by the folder of `src` that they come from, the largest first. */
  readonly folders: readonly [folder: string, bytes: number][];
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
  const { outputFiles, metafile } = await build(options);
  const { contents } = outputFiles[0]!;
  const folders = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0]!.inputs)) {
    const [folder, ...inside] = relative("src", path).split("/");
    const name = inside.length > 0 ? `${folder}/` : folder!;
    folders.set(name, (folders.get(name) ?? 0) + bytesInOutput);
  }
  const split = await build({ ...options, splitting: true });
  const atStart = staticallyImported(split.metafile);
  const eager = split.outputFiles.filter(({ path }) => atStart.has(basename(path)));
  return {
    minified: contents.length,
    gzipped: gzipped(contents),
    eager: eager.reduce((sum, file) => sum + gzipped(file.contents), 0),
    folders: [...folders].sort(([, a], [, b]) => b - a),
  };
}

function gzipped(contents: Uint8Array): number {
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

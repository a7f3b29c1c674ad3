import { join, relative } from "node:path";
import { gzipSync } from "node:zlib";
import { type BuildOptions, build } from "esbuild";

const root = join(import.meta.dirname, "..");

export interface Size {
  /** Bytes, minified. */
  readonly minified: number;
  /** Bytes, minified and gzipped. */
  readonly gzipped: number;
  /** Minified bytes by the folder of `src` that they come from, the largest first. */
  readonly folders: readonly [folder: string, bytes: number][];
}

/**
 * What an entry adds to a bundle that imports `Redis` from it and nothing else.
 * @param entry a file of `src`.
 */
export async function sizeOf(entry: string, platform: BuildOptions["platform"]): Promise<Size> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: `export { Redis } from "./src/${entry}";`, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    format: "esm",
    target: "es2022",
    platform,
    minify: true,
    metafile: true,
    write: false,
  });
  const { contents } = outputFiles[0]!;
  const folders = new Map<string, number>();
  for (const [path, { bytesInOutput }] of Object.entries(Object.values(metafile.outputs)[0]!.inputs)) {
    const [folder, ...inside] = relative("src", path).split("/");
    const name = inside.length > 0 ? `${folder}/` : folder!;
    folders.set(name, (folders.get(name) ?? 0) + bytesInOutput);
  }
  return {
    minified: contents.length,
    gzipped: gzipSync(contents, { level: 9 }).length,
    folders: [...folders].sort(([, a], [, b]) => b - a),
  };
}

import { relative } from "node:path";
import { build } from "esbuild";
import { folder } from "./suite.js";

/**
 * Bundles a program of this folder as a platform does: with the package's entry for its export conditions.
 * @throws when that is not the entry on fetch, or when esbuild warns.
 */
export async function bundle(
  program: string,
  conditions: readonly string[],
  format: "esm" | "iife",
): Promise<string> {
  const { metafile, outputFiles, warnings } = await build({
    absWorkingDir: folder,
    entryPoints: [program],
    bundle: true,
    format,
    platform: "neutral",
    target: "es2022",
    conditions: [...conditions],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const entries = Object.keys(metafile.inputs).filter((path) => path.startsWith("node_modules/"));
  const own = "node_modules/warmline/dist/";
  // Entries share chunks.
  const expected = new RegExp(`^${own}(fetch|chunk-\\w+)\\.js$`);
  const foreign = entries.filter((path) => !expected.test(path));
  if (warnings.length > 0 || foreign.length > 0 || !entries.includes(`${own}fetch.js`)) {
    const said = warnings.map(({ text }) => text).join("; ");
    throw new Error(`${relative(folder, program)} holds ${entries}, not the entry on fetch alone. ${said}`);
  }
  return outputFiles[0]!.text;
}

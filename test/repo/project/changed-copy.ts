import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type BuildOptions, build } from "esbuild";
import ts from "typescript";

// What the tests of the examples in CONTRIBUTING.md do with a changed copy of the repository.

export const root = resolve(import.meta.dirname, "../../..");

/** Bundles a part of a copy into one file, and imports it. */
export async function importFrom(copy: string, options: BuildOptions): Promise<any> {
  const outfile = join(copy, "bundle.mjs");
  await build({ outfile, bundle: true, platform: "node", format: "esm", ...options });
  return import(pathToFileURL(outfile).href);
}

/** Returns the compiler's errors in a file. */
export function errorsIn(file: string): string[] {
  const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram([file], options);
  const found = program.getSemanticDiagnostics(program.getSourceFile(file));
  return found.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, "\n"));
}

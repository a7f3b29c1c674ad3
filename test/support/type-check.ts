import { join } from "node:path";
import ts from "typescript";

const root = join(import.meta.dirname, "../..");
const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);

/** Files that were parsed, by their names: all programs share those of the libraries and of the sources. */
const parsed = new Map<string, ts.SourceFile>();

/**
 * Returns a program of one file with this source, as if it stood in the folder of type tests.
 * @param changes compiler options other than the repository's.
 */
export function programOf(source: string, changes: ts.CompilerOptions = {}): [ts.Program, ts.SourceFile] {
  const file = join(root, "test/types/virtual.ts");
  const host = ts.createCompilerHost({ ...options, ...changes });
  const { readFile, fileExists, getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    const found = parsed.get(name) ?? getSourceFile(name, ...rest);
    if (found && name !== file) parsed.set(name, found);
    return found;
  };
  host.readFile = (name) => (name === file ? source : readFile(name));
  host.fileExists = (name) => name === file || fileExists(name);
  const program = ts.createProgram([file], { ...options, ...changes }, host);
  return [program, program.getSourceFile(file)!];
}

/** Returns the compiler's errors for each line of a program's file, by the line's number from 0. */
export function messagesByLine([program, file]: [ts.Program, ts.SourceFile]): Map<number, string[]> {
  const found = new Map<number, string[]>();
  for (const { start = 0, messageText } of ts.getPreEmitDiagnostics(program, file)) {
    const { line } = file.getLineAndCharacterOfPosition(start);
    found.set(line, [...(found.get(line) ?? []), ts.flattenDiagnosticMessageText(messageText, "\n")]);
  }
  return found;
}

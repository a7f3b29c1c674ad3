import { resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { swapped } from "../../integration/parity/swapped.js";

const root = resolve(import.meta.dirname, "../../..");

/** Returns the errors of TypeScript in a file whose import of the reference client is replaced. */
function typeErrorsSwapped(file: string): string[] {
  const config = ts.readConfigFile(`${root}/tsconfig.base.json`, ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root, { types: ["node"] });
  const host = ts.createCompilerHost(options);
  const { readFile } = host;
  host.readFile = (name) => (name === file ? swapped(file) : readFile(name));
  const program = ts.createProgram([file], options, host);
  return ts
    .getPreEmitDiagnostics(program)
    .map((found) => ts.formatDiagnostic(found, { ...host, getNewLine: () => "\n" }));
}

test("examples of the reference client compile with only the import changed", () => {
  expect(typeErrorsSwapped(`${root}/test/integration/parity/examples.ts`)).toEqual([]);
});

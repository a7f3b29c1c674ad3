// Compiles the programs of the working directory. Prints, one a line, the errors in them, in warmline, in @upstash/redis, and in the
// declarations of the packages that import it. Other dependencies of those packages have hundreds of errors.
import { createRequire } from "node:module";

const ts = createRequire(`${process.cwd()}/`)("typescript");
const { config } = ts.readConfigFile("tsconfig.json", ts.sys.readFile);
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, process.cwd());
const program = ts.createProgram(fileNames, options);
const packageOf = (file) => /.*\/node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0] ?? "";
const importing = program
  .getSourceFiles()
  .filter(({ text }) => /\bfrom ["']@upstash\/redis["'/]/.test(text))
  .map(({ fileName }) => packageOf(fileName));
const checked = new Set([
  ...importing,
  ...["warmline", "@upstash/redis"].map((name) => `${process.cwd()}/node_modules/${name}`),
]);
// File by file, because the compiler checks all files before it emits all.
for (const name of fileNames) program.emit(program.getSourceFile(name));
const errors = program
  .getSourceFiles()
  .filter(({ fileName }) => checked.has(packageOf(fileName)))
  .flatMap((file) => [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)]);
for (const { file, start, messageText, code } of errors) {
  const { line } = file.getLineAndCharacterOfPosition(start);
  const path = file.fileName.slice(process.cwd().length + 1);
  console.log(`${path}:${line + 1}: TS${code}: ${ts.flattenDiagnosticMessageText(messageText, " ")}`);
}

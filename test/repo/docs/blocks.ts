import { dirname, join } from "node:path";
import ts from "typescript";
import { type Block, root } from "./pages.js";

/** Names that a block may use without defining them: a client, and parts of the reader's own application. */
const AMBIENT = `declare global {
  const redis: import("warmline").Redis;
  interface Order { readonly id: string; readonly last: boolean }
  interface Profile { readonly name: string }
  function handle(...args: unknown[]): void;
  function report(...args: unknown[]): void;
  function reload(...args: unknown[]): void;
  const Netlify: { env: { toObject(): Record<string, string> } };
}
export {};
`;

const options: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  target: ts.ScriptTarget.ES2022,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ["node"],
  skipLibCheck: true,
  // Types of clients that the bench installs: @redis/client has those of the package redis.
  baseUrl: root,
  paths: {
    ioredis: ["bench/node_modules/ioredis/built/index.d.ts"],
    redis: ["node_modules/@redis/client/dist/index.d.ts"],
  },
};

/**
 * Checks blocks, each as a separate module at the root of the repository, against the built packages.
 * @returns the compiler's errors, as `page:line: message`
 */
export function check(blocks: readonly Block[]): string[] {
  const files = new Map(
    blocks.map((block, at) => [
      join(root, `block-${at}.ts`),
      // `export {}` makes each block a module, so that its names are its own.
      { block, text: `${block.code}\nexport {};\n` },
    ]),
  );
  const ambient = join(root, "block-ambient.ts");
  const textOf = (file: string) => (file === ambient ? AMBIENT : files.get(file)?.text);
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (file) => textOf(file) !== undefined || fileExists(file);
  host.readFile = (file) => textOf(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = textOf(file);
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language);
  };
  host.getCurrentDirectory = () => dirname(ambient);
  const program = ts.createProgram([ambient, ...files.keys()], options, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, start = 0, messageText }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, "\n");
    const block = file && files.get(file.fileName)?.block;
    if (!block) return `${file?.fileName ?? "options"}: ${message}`;
    return `${block.page}:${block.line + file.getLineAndCharacterOfPosition(start).line}: ${message}`;
  });
}

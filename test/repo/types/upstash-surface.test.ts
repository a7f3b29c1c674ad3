import { join } from "node:path";
import ts from "typescript";
import { describe, expect, test } from "vitest";

// Everything that the reference exports has to be there, types included.

const root = join(import.meta.dirname, "../../..");
const reference = (file: string) => join(root, `node_modules/@upstash/redis/${file}.d.ts`);
const ours = (file: string) => join(root, `compat/src/${file}.ts`);

const entries = [
  ["@upstash/redis", reference("nodejs"), ours("index")],
  ["@upstash/redis/cloudflare", reference("cloudflare"), ours("cloudflare")],
  ["@upstash/redis/fastly", reference("fastly"), ours("fastly")],
] as const;

const config = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, root);
const program = ts.createProgram(
  entries.flatMap(([, theirs, here]) => [theirs, here]),
  options,
);
const checker = program.getTypeChecker();

function exportsOf(file: string): ts.Symbol[] {
  return checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(file)!)!);
}

/** The members of the class or interface that a module exports under a name, without protected ones. */
function membersOf(file: string, name: string): string[] {
  const found = exportsOf(file).find((symbol) => symbol.name === name)!;
  const symbol = found.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(found) : found;
  return checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
    .filter(({ declarations }) => {
      const hidden = ts.ModifierFlags.Private | ts.ModifierFlags.Protected;
      return !declarations?.some((declared) => ts.getCombinedModifierFlags(declared) & hidden);
    })
    .map((member) => member.name)
    .filter((member) => !member.startsWith("__"))
    .sort();
}

describe.each(entries)("%s", (_name, theirs, here) => {
  test("every exported name of the reference exists", () => {
    const names = new Set(exportsOf(here).map(({ name }) => name));
    const missing = exportsOf(theirs).filter(({ name }) => !names.has(name));
    expect(missing.map(({ name }) => name)).toEqual([]);
  });

  test("every member of the reference client exists", () => {
    const members = new Set(membersOf(here, "Redis"));
    expect(membersOf(theirs, "Redis").filter((name) => !members.has(name))).toEqual([]);
  });
});

test.each(["Pipeline", "SearchIndex", "VectorIndex"])("every member of %s exists", (name) => {
  const [, theirs, here] = entries[0];
  const members = new Set(membersOf(here, name));
  expect(membersOf(theirs, name).filter((member) => !members.has(member))).toEqual([]);
});

test("the client has no member that packages could define themselves", () => {
  const [, theirs, here] = entries[0];
  const known = new Set(membersOf(theirs, "Redis"));
  // @vercel/kv defines scanIterator and its like in another way than warmline does.
  expect(
    membersOf(here, "Redis").filter(
      (name) => /Iterator$|^(with|stats|update|ready)$/.test(name) && !known.has(name),
    ),
  ).toEqual([]);
});

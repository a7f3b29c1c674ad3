import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { messagesByLine, programOf } from "../../support/type-check.js";

// The public types as an editor shows them.

const root = join(import.meta.dirname, "../../..");
const [program, file] = programOf(`import * as warmline from "../../src/index.js";
import * as edge from "../../src/fetch.js";
import * as modules from "../../src/commands/modules/index.js";
export type Client = warmline.Redis;
export const entries = [warmline, edge, modules];
`);
const checker = program.getTypeChecker();
const ours = (declared: ts.Declaration) => declared.getSourceFile().fileName.includes("/src/");

function exportsOf(path: string): ts.Symbol[] {
  const source = program.getSourceFile(join(root, path))!;
  return checker
    .getExportsOfModule(checker.getSymbolAtLocation(source)!)
    .map((symbol) => (symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol));
}

const documentation = (symbol: ts.Symbol) => ts.displayPartsToString(symbol.getDocumentationComment(checker));

/** The options of every exported type whose name marks it as options, by `type.option`. */
function optionsOf(symbols: readonly ts.Symbol[]): Map<string, ts.Symbol> {
  const found = new Map<string, ts.Symbol>();
  for (const symbol of symbols.filter(({ name }) => /Options|Expiration/.test(name))) {
    const declared = checker.getDeclaredTypeOfSymbol(symbol);
    for (const member of declared.isUnion() ? declared.types : [declared]) {
      for (const option of checker.getPropertiesOfType(member)) {
        // The aliases of unions have the same options again.
        if (option.declarations?.some(ours)) found.set(`${symbol.name}.${option.name}`, option);
      }
    }
  }
  return found;
}

/** Terms that name the unit of a number. */
const UNIT =
  /second|\bms\b|byte|number|index|degree|distance|score|factor|probab|dimension|0 to|percent|database|entries|frequency|digit|count|dialect/i;

test("every option has a comment, and a number its unit", () => {
  const options = optionsOf([...exportsOf("src/index.ts"), ...exportsOf("src/commands/modules/index.ts")]);
  expect(options.size).toBeGreaterThan(100);
  const wanting = [...options].filter(([, option]) => {
    const comment = documentation(option);
    const type = checker.getNonNullableType(checker.getTypeOfSymbol(option));
    const isNumber = (type.flags & ts.TypeFlags.NumberLike) !== 0;
    return comment === "" || (isNumber && !UNIT.test(comment));
  });
  expect(wanting.map(([name, option]) => `${name}: ${documentation(option)}`)).toEqual([]);
});

test("public signatures mention exported types alone", () => {
  const exported = new Set([
    ...exportsOf("src/index.ts"),
    ...exportsOf("src/fetch.ts"),
    ...exportsOf("src/commands/modules/index.ts"),
  ]);
  const hidden = new Set<string>();
  const visit = (node: ts.Node): void => {
    if (ts.getJSDocTags(node).some(({ tagName }) => tagName.text === "internal")) return;
    if (ts.isTypeReferenceNode(node) || ts.isExpressionWithTypeArguments(node)) {
      const name = ts.isTypeReferenceNode(node) ? node.typeName : node.expression;
      const symbol = checker.getSymbolAtLocation(name);
      const target =
        symbol && symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const isType = target && !(target.flags & ts.SymbolFlags.TypeParameter);
      if (isType && target.declarations?.some(ours) && !exported.has(target)) hidden.add(target.name);
    }
    ts.forEachChild(node, visit);
  };
  for (const symbol of exported) for (const each of symbol.declarations?.filter(ours) ?? []) visit(each);
  // Each entry exports the client's type under the name of its class.
  expect([...hidden].sort()).toEqual(["Redis"]);
});

test("the types need neither the DOM's nor Node's", { timeout: 60_000 }, () => {
  const source = `import type { CallOptions, RedisOptions, UpstashRequest } from "../../src/types.js";
export const signal: CallOptions["signal"] = {
  aborted: false, reason: undefined, addEventListener() {}, removeEventListener() {},
};
export const options: RedisOptions = { timeout: 5 };
export const request: UpstashRequest = {};
// @ts-expect-error it has no listeners
export const wrong: CallOptions["signal"] = { aborted: false };
`;
  const lib = ["lib.es2023.d.ts", "lib.es2024.string.d.ts"];
  expect(messagesByLine(programOf(source, { lib, types: [] })).size).toBe(0);
});

/** The commands used most, each of which has an example. */
const MOST_USED =
  "set get del exists expire ttl incr mget mset hset hget hgetall hincrby lpush lrange sadd smembers zadd zrange publish eval scan";

test.each(MOST_USED.split(" "))("%s has an example in its comment", (method) => {
  const client = checker.getTypeAtLocation(
    file.statements.find((statement) => ts.isTypeAliasDeclaration(statement))!,
  );
  const symbol = checker.getPropertyOfType(client, method)!;
  const [example] = symbol.getJsDocTags(checker).filter(({ name }) => name === "example");
  expect(ts.displayPartsToString(example?.text)).toContain(`redis.${method}`);
});

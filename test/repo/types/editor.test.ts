import { join } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";

// What an editor shows of the client: TypeScript's language service is what editors ask.

const root = join(import.meta.dirname, "../../..");
const file = join(root, "test/types/virtual.ts");
const { config } = ts.readConfigFile(join(root, "tsconfig.base.json"), ts.sys.readFile);
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
let source = "";
let version = 0;
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [file],
  getScriptVersion: (name) => (name === file ? String(version) : "0"),
  getScriptSnapshot(name) {
    const text = name === file ? source : ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  readFile: ts.sys.readFile,
  readDirectory: ts.sys.readDirectory,
  fileExists: (name) => name === file || ts.sys.fileExists(name),
});

const HEAD = `import { Redis } from "../../src/index.js";
declare const redis: Redis;
interface User { name: string }
`;

/** Shows a line of code, in which \`|\` is the cursor. Returns the cursor's place. */
function show(line: string): number {
  source = `${HEAD}${line.replace("|", "")}\n`;
  version++;
  return HEAD.length + line.indexOf("|");
}

const hover = (line: string) =>
  ts
    .displayPartsToString(service.getQuickInfoAtPosition(file, show(line))?.displayParts)
    .replace(/\s+/g, " ");

const completions = (line: string) =>
  service.getCompletionsAtPosition(file, show(line), undefined)!.entries.map(({ name }) => name);

test.each([
  ['redis.s|et("k", 1)', 'set<number, never>(key: Key, value: number): Promise<"OK">'],
  [
    'redis.s|et<User>("k", { name: "Ada" }, { ex: 60 })',
    'set<User, SetOptions, never>(key: Key, value: User, opts: SetOptions | undefined): Promise<User | "OK" | null>',
  ],
  [
    'redis.s|et("k", 1, {})',
    'set<number, {}, never>(key: Key, value: number, opts: SetOptions | {} | undefined): Promise<"OK">',
  ],
  [
    'redis.s|et("k", 1, { ex: 60, nx: true })',
    'set<number, { ex: number; nx: true; }, never>(key: Key, value: number, opts: { ex: number; nx: true; } | undefined): Promise<"OK" | null>',
  ],
  [
    'redis.hs|et("h", { name: "Ada" })',
    "hset<string, never>(key: Key, kv: Record<string, string>): Promise<number>",
  ],
  [
    'redis.lp|ush("l", { name: "Ada" } as User)',
    "lpush<User, never>(key: Key, ...elements: User[]): Promise<number>",
  ],
  [
    'redis.zr|ange<string[]>("z", 0, 1, { withScores: true })',
    "zrange<string[]>(key: Key, min: RangeBound<ZRangeCommandOptions>, max: RangeBound<ZRangeCommandOptions>, opts: ZRangeCommandOptions): Promise<(string | number)[]>",
  ],
  ['redis.mg|et<User>("a", "b")', "mget<User>(first: Key | Key[], ...keys: Key[]): Promise<(User | null)[]>"],
])("an editor shows the method of %s with the types of the call", { timeout: 60_000 }, (line, shown) => {
  expect(hover(line)).toContain(`.${shown}`);
});

test("an editor lists all options of a call, and those of commands by their names", () => {
  const set = ["ex", "exat", "get", "ifDeq", "ifDne", "ifEq", "ifNe", "keepTtl", "nx", "px", "pxat", "xx"];
  expect(completions('redis.set("k", 1, { | })')).toEqual(set);
  expect(completions('redis.set("k", 1, { ex: 60, | })')).toEqual(set.filter((name) => name !== "ex"));
  expect(completions('redis.zadd("z", { | })')).toEqual(
    expect.arrayContaining(["score", "member", "nx", "xx", "gt", "lt", "ch", "incr"]),
  );
  const range = ["byLex", "byScore", "count", "offset", "rev", "withScores"];
  expect(completions('redis.zrange("z", 0, 1, { | })')).toEqual(range);
  // The language service gives all members of an object the same rank, and editors then sort by name.
  const members = completions("redis.|");
  const byName = (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);
  expect(members).toEqual([...members].sort(byName));
}, 60_000);

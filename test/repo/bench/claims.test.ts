import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import ts from "typescript";
import { expect, test } from "vitest";
import { claimRows } from "../../../bench/src/report/claims.js";
import { listedClaims } from "../../../bench/src/results/articles.js";
import { atLeast, decidedBy } from "../../../bench/src/results/checks.js";
import type { Result } from "../../../bench/src/results/result.js";

const src = resolve(import.meta.dirname, "../../../bench/src");
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const sources = new Map(
  files(src)
    .filter((file) => file !== "results/articles.ts")
    .map((file) => [join(src, file), readFileSync(join(src, file), "utf8")] as const),
);

/** Returns the files that a file imports, directly or not, and itself. */
function importsOf(file: string, found = new Set<string>()): ReadonlySet<string> {
  const text = sources.get(file);
  if (text === undefined || found.has(file)) return found;
  found.add(file);
  for (const [, path] of text.matchAll(/ from "(\.[^"]+)\.js"/g))
    importsOf(resolve(dirname(file), `${path}.ts`), found);
  return found;
}

const ids = new Set<string>(listedClaims().map(({ id }) => id));

/** Returns each claim that a file's checks name, and whether the check is made for each item of a list. */
function claimsIn(file: string, text: string) {
  const found: { readonly id: string; readonly repeated: boolean }[] = [];
  const visit = (node: ts.Node, repeated: boolean): void => {
    if (ts.isStringLiteral(node) && ids.has(node.text)) found.push({ id: node.text, repeated });
    if (ts.isCallExpression(node)) {
      const { expression, arguments: args } = node;
      const isOfList =
        ts.isPropertyAccessExpression(expression) && /^(flatM|m)ap$/.test(expression.name.text);
      for (const arg of args) visit(arg, repeated || isOfList);
      visit(expression, repeated);
    } else ts.forEachChild(node, (child) => visit(child, repeated));
  };
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.Latest), false);
  return found;
}

const result = {
  ...{ format: 3, scenario: "sequential", title: "One or ten", question: "How long?", command: "", seed: 1 },
  ...{ startedAt: "2026-01-01T00:00:00Z", seconds: 1, summary: "", charts: [], notes: [] },
  table: { columns: [], rows: [] },
  machine: { cpu: "a", cores: 2, memoryGb: 4, system: "Linux", node: "v20.0.0", runtime: "own", load: 0 },
  load: { before: 0, others: 0 },
  settings: {},
  versions: {},
  data: [],
  checks: [atLeast("it is faster", { value: 3, low: 2, high: 4, n: 5 }, 1, { article: "lambda.one" })],
} as unknown as Result;

test("every claim of the articles has one check in its own scenario, or the reason why none can decide it", () => {
  const names = files(join(src, "scenarios")).map((file) => file.slice(0, -3));
  const reached = names.map((name) => [name, importsOf(join(src, "scenarios", `${name}.ts`))] as const);
  const decided = [...sources].flatMap(([file, text]) =>
    claimsIn(file, text).map((claim) => ({
      ...claim,
      scenarios: reached.flatMap(([name, used]) => (used.has(file) ? [name] : [])),
    })),
  );
  const measured = listedClaims().filter(({ unmeasured }) => unmeasured === undefined);
  const byId = (a: { id: string }, b: { id: string }) => a.id.localeCompare(b.id);
  expect(decided.sort(byId)).toEqual(
    measured.map(({ id, scenario }) => ({ id, repeated: false, scenarios: [scenario] })).sort(byId),
  );
  for (const { id, scenario, unmeasured } of listedClaims())
    expect(scenario === undefined, id).toBe(unmeasured !== undefined);
});

test("the table of claims has a row per claim, decided by the last result, and says of the others why they have none", () => {
  const later = { ...result, checks: [{ ...result.checks[0]!, verdict: "no" as const }] };
  const rows = claimRows([result, later]);
  expect(rows.map(({ text }) => text)).toEqual(listedClaims().map(({ text }) => text));
  expect(rows.filter((row) => row.result)).toMatchObject([
    {
      text: "Keep-alive makes one write faster, on average",
      here: "it is faster: 2.0x to 4.0x",
      reproduced: "no",
    },
  ]);
  const reproduced = (claim: RegExp) => rows.find((row) => claim.test(row.text))!.reproduced;
  expect(reproduced(/saves more on ten writes/)).toBe("not yet run");
  expect(reproduced(/prepared statements/)).toBe("not measured");
});

test("the row of the article's own set-up decides a claim, and `beside` has the others", () => {
  const rows = [3, 0.5, 2].map((value, at) => ({ label: `client ${at}`, value }));
  const decided = (own: string) =>
    decidedBy(rows, ({ label }) => label === own)("lambda.one", ({ label, value }) =>
      atLeast(`${label} is faster`, { value, low: value, high: value, n: 5 }, 1, {
        beside: "a pipeline: 9x",
      }),
    );
  expect(decided("client 1")).toMatchObject([
    {
      ...{ expectation: "client 1 is faster", verdict: "no", article: { id: "lambda.one" } },
      beside: "a pipeline: 9x; client 0: 3.0x (3.0x to 3.0x); client 2: 2.0x (2.0x to 2.0x)",
    },
  ]);
  expect(decided("client 4")).toEqual([]);
});

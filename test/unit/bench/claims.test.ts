import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { listedClaims } from "../../../bench/src/articles.js";
import { atLeast, claimOf } from "../../../bench/src/checks.js";
import { retryClaim } from "../../../bench/src/faults/judge.js";
import { claimRows } from "../../../bench/src/report/claims.js";
import { pagesOf } from "../../../bench/src/report/pages.js";
import type { Result } from "../../../bench/src/result.js";
import { Series } from "../../../bench/src/series.js";

const src = resolve(import.meta.dirname, "../../../bench/src");
const files = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".ts"));
const sources = files(src).map((file) => readFileSync(join(src, file), "utf8"));

const result = {
  ...{ format: 3, scenario: "sequential", title: "One or ten", question: "How long?", command: "", seed: 1 },
  ...{ startedAt: "2026-01-01T00:00:00Z", seconds: 1, summary: "", headlines: [], charts: [], notes: [] },
  table: { columns: [], rows: [] },
  machine: { cpu: "a", cores: 2, memoryGb: 4, system: "Linux", node: "v20.0.0", runtime: "own", load: 0 },
  load: { before: 0, others: 0 },
  settings: {},
  versions: {},
  data: [],
  checks: ["one", "two"].map((name) =>
    atLeast(`${name} is faster`, { value: 3, low: 2, high: 4, n: 5 }, 1, {
      article: claimOf("lambda", "one"),
    }),
  ),
} as unknown as Result;

test("every claim of the articles has a check that decides it, or the reason why none can", () => {
  const checked = new Set(
    sources.flatMap((text) =>
      [...text.matchAll(/claimOf\("(\w+)", "(\w+)"\)/g)].map(([, article, name]) => `${article}.${name}`),
    ),
  );
  const measured = listedClaims().filter(({ unmeasured }) => unmeasured === undefined);
  expect([...checked].sort()).toEqual(measured.map(({ id }) => id).sort());
  const names = files(join(src, "scenarios")).map((file) => file.slice(0, -3));
  for (const { id, scenarios, unmeasured } of listedClaims()) {
    expect(scenarios.length > 0, id).toBe(unmeasured === undefined);
    for (const scenario of scenarios) expect(names, id).toContain(scenario);
  }
});

test("the table of claims has a row per check, and says of the other claims why they have none", () => {
  const rows = claimRows([result]);
  expect(rows.filter((row) => row.result)).toMatchObject([
    { text: "Keep-alive makes one write faster, on average", here: "one is faster: 3.0x (2.0x to 4.0x)" },
    { text: "", here: "two is faster: 3.0x (2.0x to 4.0x)", reproduced: "yes" },
  ]);
  expect(rows.filter(({ text }) => text !== "")).toHaveLength(listedClaims().length);
  const reproduced = (claim: RegExp) => rows.find((row) => claim.test(row.text))!.reproduced;
  expect(reproduced(/saves more on ten writes/)).toBe("not yet run");
  expect(reproduced(/prepared statements/)).toBe("not measured");
});

test("the summary page lists every claim once a result decides one", () => {
  const other = { ...result, scenario: "other", checks: [] };
  const [summary] = pagesOf("/some/all.html", [result, other]);
  for (const { text, unmeasured = "" } of listedClaims()) {
    expect(summary!.html).toContain(text);
    expect(summary!.html).toContain(unmeasured);
  }
  expect(pagesOf("/some/all.html", [other, { ...other, scenario: "third" }])[0]!.html).not.toContain(
    "The articles",
  );
});

test("the claim about repeated writes is decided by the other clients, one of which applies a write twice", () => {
  const row = (name: string, doubled: number) => ({
    client: { name, label: name },
    doubled: new Series([[doubled]]),
  });
  const [check] = retryClaim([row("warmline", 0), row("ioredis", 2), row("fetch", 0)]);
  expect(check).toMatchObject({ verdict: "yes", actual: "by client: ioredis 2, fetch 0" });
  expect(retryClaim([row("warmline", 1), row("fetch", 0)])[0]!.verdict).toBe("no");
  expect(retryClaim([row("warmline", 0)])).toEqual([]);
});

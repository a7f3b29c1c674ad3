import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { bench, schemaErrors } from "../../support/bench.js";

// One quick round each, under this Node alone: that everything is measured, not how fast it is.

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function run(scenario: string): Promise<any> {
  const files = ["--json", `${scenario}.json`, "--report", `${scenario}.html`];
  const node = ["--node", process.execPath];
  const ended = await bench(folder, [scenario, "--quick", "--seed", "7", ...node, ...files]);
  expect(ended.stderr).not.toContain("Error");
  expect(ended.code).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, `${scenario}.json`), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  return result;
}

test("cold measures every client, with and without an init phase", async () => {
  const { data } = await run("cold");
  const ways = ["TLS", "plain", "TLS, after init", "TLS, after init, 10 ms away"];
  const clients = ["warmline", "warmline-undici", "warmline-fetch", "upstash", "raw"];
  expect(data.rows.map(({ way, client }: any) => `${way}: ${client}`)).toEqual(
    ways.flatMap((way) => clients.map((client) => `${way}: ${client}`)),
  );
  for (const row of data.rows) {
    expect(row.beforeMs.median).toBeGreaterThanOrEqual(row.importMs.median);
    expect(row.cpuMs.median).toBeGreaterThan(0);
    if (row.way.endsWith("10 ms away")) expect(row.warmMs.median).toBeGreaterThan(9);
  }
  for (const { minified, gzipped } of data.sizes) expect(minified).toBeGreaterThan(gzipped);
}, 120_000);

test("throughput measures concurrency, batches, sizes, arrivals and a gateway", async () => {
  const { data } = await run("throughput");
  const groups = new Set(data.map(({ group }: any) => group));
  expect([...groups]).toEqual(["in flight", "Promise.all", "values", "arrivals", "gateway"]);
  for (const row of data) expect(row.perSecond.median).toBeGreaterThan(0);
}, 120_000);

test("targets has a limit, a measurement and a verdict in each row", async () => {
  const result = await run("targets");
  expect(result.data.length).toBeGreaterThanOrEqual(21);
  for (const { measured, limit, bound, met } of result.data) {
    expect(measured.median).toBeGreaterThan(0);
    expect(met).toBe(bound === "at most" ? measured.median <= limit : measured.median >= limit);
  }
  expect(result.checks).toHaveLength(result.data.length);
}, 120_000);

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bench, schemaErrors } from "../support/bench.js";
import { newFolder } from "../support/new-folder.js";

// One quick round each: that everything is measured, not how fast it is.

const folder = newFolder("bench");

async function run(scenario: string, ...args: string[]): Promise<any> {
  const files = ["--json", `${scenario}.json`, "--report", `${scenario}.html`];
  const ended = await bench(folder, [scenario, "--quick", "--seed", "7", ...args, ...files]);
  expect(ended.stderr).not.toContain("Error");
  expect(ended.code).toBe(0);
  const result = JSON.parse(readFileSync(join(folder, `${scenario}.json`), "utf8"));
  expect(schemaErrors(result)).toEqual([]);
  return result;
}

const CLIENTS = ["warmline", "upstash", "ioredis"];
const clients = ["--clients", CLIENTS.join()];

test("cold measures clients with and without an init phase, over HTTP and TCP", async () => {
  const { data, settings } = await run("cold", "--rtt", "10", ...clients);
  expect(settings.clients).toEqual(CLIENTS);
  const ways = [
    "no init phase",
    "init, as shipped",
    "init, as shipped, event 50 ms later",
    "init with an awaited PING",
  ];
  expect(data.map(({ rttMs, way, client }: any) => `${rttMs} ms, ${way}: ${client}`)).toEqual(
    ways.flatMap((way) => CLIENTS.map((client) => `10 ms, ${way}: ${client}`)),
  );
  for (const row of data) {
    expect(row.totalMs.p50.value).toBeGreaterThanOrEqual(row.importMs.p50.value);
    expect(row.cpuMs.p50.value).toBeGreaterThan(0);
    if (row.way !== ways[0]) expect(row.warmMs.p50.value).toBeGreaterThan(9);
  }
}, 120_000);

test("throughput measures concurrency, batches, sizes, arrivals and real servers, over the given round trip", async () => {
  const { data, settings } = await run("throughput", "--rtt", "3", ...clients);
  expect(settings.rttMs).toBe("3");
  const cells = new Set(data.map(({ cell }: any) => cell));
  for (const cell of [
    "1 in flight",
    "pipeline of 1,000 GETs",
    "GET of 1,000,000 bytes",
    "200 arrivals per second",
  ]) {
    expect(cells).toContain(cell);
  }
  const of = (name: string) => data.filter(({ cell }: any) => cell === name);
  expect(of("50 in flight").map(({ client }: any) => client)).toEqual(CLIENTS);
  expect(cells).toContain("real servers: 50 in flight");
  for (const row of data) expect(row.perSecond.p50.value).toBeGreaterThan(0);
  for (const { latencies } of of("GET of 1,000,000 bytes")) expect(latencies.min).toBeGreaterThanOrEqual(3);
}, 120_000);

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { runAdvise } from "../../../bench/src/advise/run.js";
import { parse } from "../../../bench/src/runner/command-line.js";

const folder = mkdtempSync(join(tmpdir(), "warmline-advise-"));
afterAll(() => rmSync(folder, { recursive: true }));

const same = (value: number) => {
  const exact = { value, low: value, high: value, n: 5 };
  return { p50: exact, mean: exact };
};
const result = (scenario: string, quick: boolean, data: readonly object[]) => ({
  ...{ format: 3, scenario, startedAt: "2026-01-02T00:00:00Z", load: {}, data },
  settings: { quick, rttMs: 1 },
  machine: { cores: 2, node: "v20.0.0" },
});
const of = (client: string, ms: number, rows: readonly object[]) =>
  rows.map((row) => ({ client, label: client, warm: same(ms), ...row }));
/** Results of two clients; over TCP a command takes 2% more. */
const results = (quick: boolean) => {
  const both = (rows: readonly object[]) => [...of("warmline", 1, rows), ...of("ioredis", 1.02, rows)];
  const flags = (name: string) => [true, false].map((flag) => ({ [name]: flag }));
  return [
    result("distance", quick, both(flags("keepAlive").map((row) => ({ ...row, tls: false, rttMs: 1 })))),
    result(
      "memory",
      false,
      both(flags("reused").map((row) => ({ ...row, memoryMb: 512, start: same(100) }))),
    ),
    result(
      "sequential",
      false,
      both([
        { name: "one", keepAlive: true, commands: 1 },
        { name: "pipeline", keepAlive: true, commands: 10 },
      ]),
    ),
    result("cost", false, of("warmline", 1, [])),
    result("bytes", false, of("warmline", 1, [{ tls: false, sent: same(9), received: same(9) }])),
    result("faults", true, []),
  ];
};

const advise = (quick: boolean, ...more: string[]) => {
  const file = join(folder, "results.json");
  writeFileSync(file, JSON.stringify({ format: 3, results: results(quick), skipped: [] }));
  const flags = ["--memory", "512", "--ops", "3", "--rtt", "1", "--concurrency", "20", "--from", file];
  const command = parse(["advise", ...flags, ...more], [], []);
  if (command.action !== "advise") throw new Error(command.action);
  return runAdvise(command, [], String, () => Promise.reject(new Error("it measures nothing")));
};

test("advise states its rule, its prices, and which results are missing for one of two clients", async () => {
  const text = await advise(false);
  expect(text).toMatch(/TCP or HTTP\? {2}HTTP\.\n {4}neither is much faster, and which costs less is open/);
  expect(text).toContain("Else the calls lost after a freeze decide, else the dollars");
  expect(text).toContain("Redis is in the function's network");
  expect(text).toContain("Not weighed: idle, which has no results; `npm run bench -- idle` measures it.");
  expect(text).toContain("Not weighed: bytes, which has no results of ioredis.");
  expect(text).toContain("Not weighed: the gateway's price; --per-month N");
  expect(text).not.toMatch(/quick|faults/);
});

test("advise spreads the gateway's price over --per-month, so that TCP costs less", async () => {
  const text = await advise(false, "--per-month", "1000000");
  expect(text).toMatch(/TCP or HTTP\? {2}TCP, if .*\n {4}neither is much faster, and TCP costs \$45\.\d\d /);
  expect(text).not.toContain("Not weighed: the gateway's price");
  await expect(async () => advise(false, "--per-month", "0")).rejects.toThrow(
    "--per-month must be a whole number >= 1.",
  );
});

test("advise prices a database of Upstash with --upstash, which needs no gateway", async () => {
  const text = await advise(false, "--upstash");
  expect(text).toMatch(/neither is much faster, and HTTP costs \$0\.0005 \(.*\) less\. /);
  expect(text).toMatch(/A gateway\? {2}No\.\n {4}Upstash has an HTTP endpoint/);
  expect(text).toMatch(/\(AWS Lambda \$\d\.\d\d, Upstash \$6\.00/);
  expect(text).toContain("data transfer to the internet (2026-");
});

test("advise names a quick result, and decides nothing with it", async () => {
  const text = await advise(true);
  expect(text).toContain("distance (quick, 2026-01-02, 2 cores, Node 20.0.0)");
  expect(text).toContain("Some sources are quick runs, so nothing is decided: repeat them without --quick.");
  expect(text).toMatch(/TCP or HTTP\? {2}HTTP\.\n.* which costs less is open/);
});

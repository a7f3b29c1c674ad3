import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BenchEnded, bench as runBench } from "../support/bench.js";

const bench = (folder: string, ...args: string[]) => runBench(folder, args);

const folder = mkdtempSync(join(tmpdir(), "warmline-bench-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("keepalive, a few invocations", () => {
  let ended: BenchEnded;
  let result: any;
  let report: string;

  beforeAll(async () => {
    const few = ["--invocations", "8", "--rounds", "2", "--rtt", "0.5", "--seed", "7"];
    ended = await bench(folder, "keepalive", ...few, "--json", "out.json", "--report", "out.html");
    expect(ended.stderr).not.toContain("Error");
    expect(ended.code).toBe(0);
    result = JSON.parse(readFileSync(join(folder, "out.json"), "utf8"));
    report = readFileSync(join(folder, "out.html"), "utf8");
  }, 120_000);

  test("keepalive runs all clients in all variants, with and without a gap before the event", () => {
    expect(
      result.data.map((cell: any) => [cell.client, cell.keepAlive, cell.reused, cell.gapMs].join()),
    ).toEqual(
      ["warmline", "upstash", "agent"].flatMap((client) =>
        ["true,true,0", "true,true,50", "true,false,0", "false,true,0", "false,false,0"].map(
          (variant) => `${client},${variant}`,
        ),
      ),
    );
    for (const cell of result.data) {
      expect(cell.warm).toMatchObject({ count: 14, rounds: 2, p50: { n: 2 } });
      expect(cell.warm.min).toBeGreaterThan(0.49);
      expect(cell.warm.histogram.rounds).toHaveLength(2);
      expect(cell.first.values).toHaveLength(2);
      expect(cell.init.p50.value).toBeGreaterThan(5);
    }
  });

  test("keepalive counts connections at the proxy", () => {
    const opened = (client: string, keepAlive: boolean, reused: boolean): number =>
      result.data
        .find((cell: any) => cell.client === client && cell.keepAlive === keepAlive && cell.reused === reused)
        .opened.values.reduce((sum: number, each: number) => sum + each, 0);
    expect(opened("warmline", true, true)).toBe(2);
    expect(opened("warmline", true, false)).toBe(2);
    expect(opened("agent", true, true)).toBe(2);
    expect(opened("agent", true, false)).toBe(16);
    for (const client of ["warmline", "upstash", "agent"]) {
      expect(opened(client, false, true)).toBe(16);
      expect(opened(client, false, false)).toBe(16);
    }
  });

  test("keepalive records the machine and the command that repeats it", () => {
    expect(result).toMatchObject({ format: 3, scenario: "keepalive", seed: 7 });
    expect(result.command).toBe("npm run bench -- keepalive --invocations 8 --rounds 2 --rtt 0.5 --seed 7");
    expect(result.machine.node).toBe(process.version);
    expect(result.settings).toMatchObject({ invocations: 8, rounds: 2, rttMs: 0.5, tls: true });
    expect(Object.keys(result.versions)).toEqual(["warmline", "@upstash/redis", "warmline-gateway"]);
    expect(result.settings.engine).toMatch(/^embedded/);
  });

  test("keepalive prints the table, the summary, the checks, progress and the files", () => {
    expect(ended.stdout).toMatch(/^warmline +keep-alive on, recreated +\d+\.\d \(\d.* 2$/m);
    expect(ended.stdout).toContain("round trip 0.5 ms");
    // Two instances decide nothing.
    expect(ended.stdout).toMatch(/^UNDECIDED {2}warmline recreated is at most 5% slower than reused/m);
    expect(ended.stdout).toMatch(/^UNDECIDED {2}bare agent: a recreated client loses the connection/m);
    expect(ended.stdout).toMatch(/^UNDECIDED {2}warmline recreated opens one connection per instance/m);
    expect(result.load).toMatchObject({ before: expect.any(Number) });
    expect(ended.stdout).toContain("Report: out.html");
    expect(ended.stderr).toMatch(/^keepalive: \d+%/m);
  });

  test("keepalive writes a self-contained report with every chart", () => {
    expect(report).toContain("<h1>Keep-alive in serverless functions</h1>");
    expect(report).not.toMatch(/<script|<link rel="stylesheet"|src=|url\(|@import/);
    expect(report.match(/<svg [^>]*class="plot"/g)).toHaveLength(4 + 4 + 1 + 1);
    expect(report.match(/<g [^>]*aria-label="line"/g)).toHaveLength((4 + 4) * 3);
    expect(report).not.toMatch(/NaN|undefined|Infinity/);
    expect(report).toContain("prefers-color-scheme:dark");
  });
});

test("keepalive measures one client over TLS", { timeout: 60_000 }, async () => {
  const few = ["--invocations", "4", "--rounds", "2", "--rtt", "0", "--clients", "warmline"];
  const { code, stderr, stdout } = await bench(
    folder,
    "keepalive",
    ...few,
    "--report",
    "tls.html",
    "--json",
    "tls.json",
  );
  expect(code, stderr).toBe(0);
  const { data, settings } = JSON.parse(readFileSync(join(folder, "tls.json"), "utf8"));
  expect(settings.tls).toBe(true);
  expect(data.map((cell: any) => cell.opened.values.reduce((a: number, b: number) => a + b))).toEqual([
    2, 2, 2, 8, 8,
  ]);
  expect(stdout).toContain("round trip 0 ms, TLS");
});

test("keepalive measures the TCP clients, and another HTTP client", {
  tags: "redis-server",
  timeout: 60_000,
}, async () => {
  const few = ["--invocations", "4", "--rounds", "2", "--rtt", "0", "--clients", "undici,ioredis,node-redis"];
  const { code, stderr } = await bench(folder, "keepalive", ...few, "--json", "tcp.json");
  expect(code, stderr).toBe(0);
  const { data, settings, versions } = JSON.parse(readFileSync(join(folder, "tcp.json"), "utf8"));
  expect(settings.engine).toMatch(/^redis-server /);
  expect(Object.keys(versions)).toEqual(["undici", "ioredis", "@redis/client", "warmline-gateway"]);
  for (const client of ["undici", "ioredis", "node-redis"]) {
    const opened = data
      .filter((cell: any) => cell.client === client)
      .map((cell: any) => cell.opened.values.reduce((a: number, b: number) => a + b));
    expect(opened, client).toEqual([2, 2, 8, 8, 8]);
  }
});

test("the bench lists scenarios, prints its options and refuses an unknown scenario", async () => {
  expect(await bench(folder, "--list")).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^keepalive +How much/m),
  });
  expect(await bench(folder, "--help")).toMatchObject({
    code: 0,
    stdout: expect.stringContaining("--rtt MS"),
  });
  expect(await bench(folder, "nonsense")).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringMatching(/^Unknown scenario: nonsense.*\n$/),
  });
});
